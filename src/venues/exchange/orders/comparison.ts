import { isCheaperOneByOne } from '../../../capacity/exchange.ts';
import { absolute, compare, isPositive, isZero } from '../../../kernel/decimals.ts';
import { coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Compared, Exits, ProtectionReason, WantedEntry } from '../../exits.ts';
import type { WantedRow } from '../../queries.ts';
import type { Exvenue, OpenOrder, OrderRecord, PerpPosition } from '../adapter/types.ts';
import { closingSide, isProtecting, protectionOf } from '../protection.ts';
import { EXIT_NAMES } from './rules.ts';
import { type WantedLeg, wantedLegs } from './wanted.ts';

type Deps = { exvenue: Exvenue; config: { EXVENUE_READ_LAG_MS: number } };

/**
 * A wanted exit as the exchange's record shows it. `ended`: with its work done, or with its position. `gone`: otherwise. `absent`: there
 * is no record. `sinceMs` (epoch ms): since when.
 */
type SeenLeg = WantedLeg & { state: 'live' | 'ended' | 'gone' | 'absent'; record: OrderRecord | null; sinceMs: number };

/** What the exchange shows of wanted exits, and the open orders, if they were listed. */
type Seen = { legs: SeenLeg[]; open: OpenOrder[] | null };

/**
 * Compares what is wanted in a pair with what the exchange shows. `behind`: the account that was read is older than what is
 * wanted, or than the end of an exit; or an exit is shown alive of which the end is known. Null: something could not be read.
 */
export async function compareExits(
  { exvenue, config: { EXVENUE_READ_LAG_MS: lagMs } }: Deps,
  wallet: WalletAddress,
  row: Pick<WantedRow, 'pair' | 'wanted' | 'wanted_ago_s' | 'ended'>,
): Promise<Compared | 'behind' | null> {
  const coin = coinOf(row.pair);
  const account = await exvenue.account(wallet, dexOf(coin));
  if (account.kind !== 'found') return null;
  const { positions, atMs } = account.data;
  if (atMs < epochMs() - 1_000 * row.wanted_ago_s) return 'behind';
  const position = positions.find((one) => one.coin === coin && !isZero(one.size));
  if (!position) return closedPosition(row.wanted);
  const seen = await readWanted(
    exvenue,
    { wallet, coin },
    row.wanted.filter(({ waits }) => !waits),
  );
  if (!seen) return null;
  const { legs } = seen;
  if (legs.some(({ record }) => record && record.state !== 'open' && record.statusMs > atMs)) return 'behind';
  if (legs.some((leg) => leg.state === 'live' && leg.sinceMs <= (row.ended[leg.cloid] ?? 0))) return 'behind';
  const ended = { ...row.ended, ...endsOf(legs) };
  const done = new Set(legs.filter(({ state }) => state === 'ended').map(({ entry }) => entry.order_uuid));
  const wanted = row.wanted.filter(({ order_uuid }) => !done.has(order_uuid));
  const lacking = legs.filter(({ state, entry }) => state !== 'live' && !done.has(entry.order_uuid));
  const open = lacking.length > 0 ? (seen.open ?? (await openOrdersOf(exvenue, { wallet, coin }))) : [];
  if (!open) return null;
  const others = open.filter(({ cloid, placedMs }) => cloid === null || placedMs > (ended[cloid] ?? 0));
  const missing = lacking.filter((leg) => !isCovered(leg, position, others));
  const live = legs.filter(({ state }) => state === 'live').map(exitsOf);
  return resultOf({ position, wanted, missing, live, ended, certainMs: atMs - lagMs });
}

const closedPosition = (wanted: readonly WantedEntry[]): Compared => ({
  comparison: { state: 'closed', side: null, size: null, live: [], reason: 'position_closed', message: null },
  wanted: wanted.filter(({ waits }) => waits),
  missing: [],
  isCertain: false,
});

type Market = { wallet: WalletAddress; coin: string };

/** Reads wanted exits one by one if they are few, else those that the list of open orders lacks. Null if one cannot be read. */
async function readWanted(exvenue: Exvenue, market: Market, entries: readonly WantedEntry[]): Promise<Seen | null> {
  const wanted = wantedLegs(entries);
  const open = isCheaperOneByOne(wanted.length) ? null : await openOrdersOf(exvenue, market);
  if (open === null && !isCheaperOneByOne(wanted.length)) return null;
  const listed = new Map(open?.map((order) => [order.cloid, order]));
  const legs: SeenLeg[] = [];
  for (const leg of wanted) {
    const order = listed.get(leg.cloid);
    const seen = order ? asListed(order) : await readLeg(exvenue, market.wallet, leg);
    if (!seen) return null;
    legs.push({ ...leg, ...seen });
  }
  return { legs, open };
}

/** Null if its record cannot be read. */
async function readLeg(exvenue: Exvenue, wallet: WalletAddress, { cloid }: WantedLeg) {
  const record = await exvenue.orderStatus(wallet, cloid);
  if (record.kind === 'unreadable') return null;
  return record.kind === 'found' ? stateOf(record.data) : ABSENT;
}

async function openOrdersOf(exvenue: Exvenue, { wallet, coin }: Market): Promise<OpenOrder[] | null> {
  const open = await exvenue.openOrders(wallet, dexOf(coin));
  return open.kind === 'found' ? open.data : null;
}

const asListed = ({ placedMs }: OpenOrder) => ({ state: 'live', record: null, sinceMs: placedMs }) as const;
const ABSENT = { state: 'absent', record: null, sinceMs: 0 } as const;

/** Ends of an exit that follow its fill, that of its sibling, or the end of the position. See venues/exchange.md#order-statuses. */
const WITH_POSITION = ['reduceOnlyCanceled', 'siblingFilledCanceled', 'liquidatedCanceled', 'delistedCanceled'];

/** Null for a status that is unknown here: the exit may live or not. */
function stateOf(record: OrderRecord): Omit<SeenLeg, keyof WantedLeg> | null {
  const { state, word, statusMs: sinceMs } = record;
  if (state === 'unknown') return null;
  if (state === 'filled' || WITH_POSITION.includes(word)) return { state: 'ended', record, sinceMs };
  return { state: state === 'cancelled' || state === 'rejected' ? 'gone' : 'live', record, sinceMs };
}

const endsOf = (legs: readonly SeenLeg[]): Record<string, number> =>
  Object.fromEntries(legs.flatMap(({ state, cloid, sinceMs }) => (state === 'gone' ? [[cloid, sinceMs]] : [])));

/** Whether other exits protect what a lacking one should: the whole position, or at the same price. */
function isCovered({ leg, price }: SeenLeg, position: PerpPosition, open: OpenOrder[]): boolean {
  const { coin, size } = position;
  const isSame = (order: OpenOrder) =>
    isProtecting(order, { coin, side: closingSide(size) }) &&
    order.exit === leg &&
    order.triggerPrice !== null &&
    compare(order.triggerPrice, price) === 0;
  return protectionOf(open, position, leg) !== null || open.some(isSame);
}

const exitsOf = ({ leg, price, entry: { size } }: WantedLeg): Exits => ({
  take_profit: leg === 'tp' ? price : null,
  stop_loss: leg === 'sl' ? price : null,
  trailing_stop: null,
  size,
});

/** `certainMs` (epoch ms of the exchange): every list shows what ended before, and what was placed instead. */
type Position = {
  position: PerpPosition;
  wanted: WantedEntry[];
  missing: SeenLeg[];
  live: Exits[];
  ended: Record<string, number>;
  certainMs: number;
};

function resultOf({ position, wanted, missing, live, ended, certainMs }: Position): Compared {
  const side = isPositive(position.size) ? ('long' as const) : ('short' as const);
  const about = { side, size: absolute(position.size), live, ended };
  const [first] = missing;
  if (!first) {
    const reason = wanted.some(({ waits }) => !waits) ? ('exits_live' as const) : ('exits_withdrawn' as const);
    return {
      comparison: { ...about, state: 'protected', reason, message: null },
      wanted,
      missing: [],
      isCertain: false,
    };
  }
  return {
    comparison: { ...about, state: 'unprotected', ...whyMissing(first) },
    wanted,
    missing: lackingEntries(missing),
    isCertain: missing.every(({ state, record }) => state === 'gone' && record && record.statusMs < certainMs),
  };
}

/** The entries of missing exits, each with its missing legs only. */
const lackingEntries = (missing: SeenLeg[]): WantedEntry[] =>
  [...Map.groupBy(missing, ({ entry }) => entry)].map(([entry, legs]) => ({
    ...entry,
    take_profit: legs.some(({ leg }) => leg === 'tp') ? entry.take_profit : null,
    stop_loss: legs.some(({ leg }) => leg === 'sl') ? entry.stop_loss : null,
  }));

/** Why an exit does not live, by the exchange's record of it. */
function whyMissing({ record, leg }: SeenLeg): { reason: ProtectionReason; message: string } {
  const name = EXIT_NAMES[leg];
  if (!record) return { reason: 'exits_missing', message: `The exchange has no ${name} of the order.` };
  if (record.state !== 'rejected')
    return { reason: 'exits_cancelled', message: `The ${name} ended at the exchange: ${record.word}.` };
  const why = record.rejected?.message ?? record.word;
  return { reason: 'exits_rejected', message: `The exchange rejected the ${name}: ${why}` };
}
