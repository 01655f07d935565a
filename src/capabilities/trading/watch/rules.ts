import type { components } from '../../../contract/types.ts';

type Position = components['schemas']['Position'];

/** The event about one position. */
export type Change = components['schemas']['TradingPositionEvent'];

/** Members that change with the market, without a trade. */
const PRICED = ['mark_price', 'unrealized_pnl', 'position_value', 'net_leverage', 'current_return'] as const;

/**
 * The changes since the `reported` positions; with null, every position is new. Changes of prices alone count only if
 * `arePricesDue`.
 */
export function changesOf(reported: Position[] | null, now: Position[], arePricesDue: boolean): Change[] {
  const before = new Map((reported ?? []).map((position) => [nameOf(position), position]));
  const open = new Set(now.map(nameOf));
  return [
    ...now.flatMap((position): Change[] => {
      const earlier = before.get(nameOf(position));
      if (!earlier) return [{ change: 'opened', position_uuid: nameOf(position), position }];
      const moved = arePricesDue ? !same(earlier, position) : !same(withoutPrices(earlier), withoutPrices(position));
      return moved ? [{ change: 'changed', position_uuid: nameOf(position), position }] : [];
    }),
    ...[...before.keys()]
      .filter((name) => !open.has(name))
      .map((position_uuid): Change => ({ change: 'closed', position_uuid, position: null })),
  ];
}

const nameOf = ({ position_uuid, symbol }: Position): string => position_uuid ?? symbol;

const withoutPrices = (position: Position) =>
  Object.fromEntries(Object.entries(position).filter(([name]) => !PRICED.some((priced) => priced === name)));

/** Compares members in any order: the database returns stored JSON with sorted members. */
const same = (a: object, b: object) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

const RESTING_FACTOR = 5;
const IDLE_FACTOR = 15;

/**
 * The delay before the next reading. It is shortest if someone listens and the account has an open position or a
 * resting order. It is longest if no order rests: then only a new order can change anything, and every order that ends
 * plans a reading of its own.
 */
export function nextReconcileMs(
  shortestMs: number,
  { isListened, isOpen, rests }: { isListened: boolean; isOpen: boolean; rests: boolean },
): number {
  if (isListened && (isOpen || rests)) return shortestMs;
  return shortestMs * (rests ? RESTING_FACTOR : IDLE_FACTOR);
}
