import { newPause } from '../../../kernel/concurrency.ts';
import {
  absolute,
  compare,
  dividedBy,
  isPositive,
  isZero,
  minus,
  nearest,
  plus,
  times,
} from '../../../kernel/decimals.ts';
import type { Fill } from '../adapter/types.ts';
import { chainOf, FINEST_LOT } from '../chain.ts';

/**
 * A position from its first fill to its closing fill. `openMs` is null if it was opened before the fills that were
 * read. `closeId` distinguishes positions of a coin that were closed in the same millisecond.
 */
export type RoundTrip = {
  coin: string;
  side: 'long' | 'short';
  size: string;
  entryPrice: string;
  openMs: number | null;
  closeMs: number;
  closeId: string;
  realizedPnl: string;
  fees: string;
  isLiquidation: boolean;
};

const PLACES = 10;

/**
 * The closed positions that follow from fills, oldest first. The exchange has no history of positions, but each fill
 * contains the position before it and the realized gain. These give the entry price even of a position opened before
 * the first fill. `lots`: the decimals of a coin's sizes; the venue's positions carry float residue and are rounded to
 * whole lots, so that less than half a lot is flat. A coin that is no longer listed has the finest lot.
 */
export async function roundTrips(fills: Fill[], lots: ReadonlyMap<string, number>): Promise<RoundTrip[]> {
  const pause = newPause(); // a wallet may have tens of thousands
  const trips: RoundTrip[][] = [];
  for (const [coin, all] of Map.groupBy(fills, (fill) => fill.coin))
    trips.push(await tripsOf(chainOf(all, inWholeLots(lots.get(coin) ?? FINEST_LOT)), pause));
  return trips.flat().sort((a, b) => a.closeMs - b.closeMs);
}

const inWholeLots =
  (places: number) =>
  (fill: Fill): Fill => ({ ...fill, startPosition: nearest(fill.startPosition, places) });

/** The closed positions of one coin. */
async function tripsOf(fills: Iterable<Fill>, pause: ReturnType<typeof newPause>): Promise<RoundTrip[]> {
  const closed: RoundTrip[] = [];
  let trip: Trip | null = null;
  for (const fill of fills) {
    await pause();
    trip ??= startTrip(fill);
    const after = plus(fill.startPosition, signedSize(fill));
    add(trip, fill, after);
    if (isSameSide(after, trip.side)) continue;
    closed.push(endTrip(trip, fill, closed));
    trip = isZero(after) ? null : startReversedTrip(fill, after);
  }
  return closed;
}

type Trip = Pick<RoundTrip, 'coin' | 'side' | 'size' | 'openMs' | 'realizedPnl' | 'fees' | 'isLiquidation'> & {
  closedSize: string;
  closedValue: string;
};

/** The size of a fill, negative for a sale. */
const signedSize = ({ side, size }: Pick<Fill, 'side' | 'size'>): string => (side === 'buy' ? size : minus('0', size));

const isSameSide = (position: string, side: Trip['side']): boolean =>
  compare(position, '0') === (side === 'long' ? 1 : -1);

function startTrip(fill: Fill): Trip {
  const held = isZero(fill.startPosition) ? signedSize(fill) : fill.startPosition;
  return {
    coin: fill.coin,
    side: isPositive(held) ? 'long' : 'short',
    size: absolute(fill.startPosition),
    openMs: isZero(fill.startPosition) ? fill.timeMs : null,
    realizedPnl: '0',
    fees: '0',
    isLiquidation: false,
    closedSize: '0',
    closedValue: '0',
  };
}

/** The trip opened by a fill that closed a position and opened the opposite one. */
const startReversedTrip = (fill: Fill, after: string): Trip => ({
  ...startTrip({ ...fill, startPosition: '0' }),
  size: absolute(after),
});

function add(trip: Trip, fill: Fill, after: string): void {
  const isReducing = !isZero(fill.startPosition) && isPositive(fill.startPosition) === (fill.side === 'sell');
  trip.realizedPnl = plus(trip.realizedPnl, fill.closedPnl);
  trip.fees = plus(trip.fees, fill.fee);
  trip.isLiquidation ||= fill.isLiquidation;
  if (isReducing) {
    const size = isSameSide(after, trip.side) || isZero(after) ? fill.size : absolute(fill.startPosition);
    trip.closedSize = plus(trip.closedSize, size);
    trip.closedValue = plus(trip.closedValue, times(size, fill.price));
  } else if (compare(absolute(after), trip.size) > 0) trip.size = absolute(after);
}

/** The entry price follows from gain = (exit − entry) × size for a long position, and the reverse for a short one. */
function endTrip({ closedSize, closedValue, ...trip }: Trip, fill: Fill, before: RoundTrip[]): RoundTrip {
  const entryValue = trip.side === 'long' ? minus(closedValue, trip.realizedPnl) : plus(closedValue, trip.realizedPnl);
  return {
    ...trip,
    entryPrice: isZero(closedSize) ? fill.price : dividedBy(entryValue, closedSize, PLACES, 'down'),
    closeMs: fill.timeMs,
    closeId: String(before.length - 1 - before.findLastIndex(({ closeMs }) => closeMs !== fill.timeMs)).padStart(
      4,
      '0',
    ),
  };
}
