import type { components } from '../../contract/types.ts';

type Position = components['schemas']['Position'];

/** What a follower is told of one position. */
export type Change = components['schemas']['TradingPositionEvent'];

/** What moves with the market while nobody trades. */
const PRICED = ['mark_price', 'unrealized_pnl', 'position_value', 'net_leverage'] as const;

/** What has changed since followers were last told; everything is new to those who have been told nothing. */
export function changesOf(told: Position[] | null, now: Position[], arePricesDue: boolean): Change[] {
  const before = new Map((told ?? []).map((position) => [nameOf(position), position]));
  const standing = new Set(now.map(nameOf));
  return [
    ...now.flatMap((position): Change[] => {
      const known = before.get(nameOf(position));
      if (!known) return [{ change: 'opened', position_uuid: nameOf(position), position }];
      const moved = arePricesDue ? !same(known, position) : !same(still(known), still(position));
      return moved ? [{ change: 'changed', position_uuid: nameOf(position), position }] : [];
    }),
    ...[...before.keys()]
      .filter((name) => !standing.has(name))
      .map((position_uuid): Change => ({ change: 'closed', position_uuid, position: null })),
  ];
}

const nameOf = ({ position_uuid, symbol }: Position): string => position_uuid ?? symbol;

const still = (position: Position) =>
  Object.fromEntries(Object.entries(position).filter(([name]) => !PRICED.some((priced) => priced === name)));

/** Members in any order: what was kept comes back sorted by the database. */
const same = (a: object, b: object) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

const RESTING_ALONE = 5;
const NOTHING_OPEN = 15;

/**
 * When to look again, in multiples of the shortest pause: soonest where someone listens to an account with something open, seldom
 * where nothing is, since only an order can change that, and every order that ends plans a look of its own.
 */
export function nextLookMs(
  shortestMs: number,
  { isListened, isOpen, rests }: { isListened: boolean; isOpen: boolean; rests: boolean },
): number {
  if (isListened && (isOpen || rests)) return shortestMs;
  return shortestMs * (rests ? RESTING_ALONE : NOTHING_OPEN);
}
