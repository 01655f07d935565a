import {
  type Accepted,
  accepted,
  acknowledged,
  type Rejected,
  type UnknownEffect,
} from '../../../kernel/upstream-result.ts';
import type { Signal, SignalAccepted } from '../adapter/signal-types.ts';
import type { AtMiner, Done, Lifecycle } from './outcome.ts';
import { isOpenPosition } from './positions.ts';
import { executedBy, protectionShown } from './protection.ts';
import { carriesExits, type Exits, NO_PROTECTION, PLACED, type Protection, samePair } from './rules.ts';
import { findProven, isShown, mayProve, type Records, readRecords, type VisibleResult } from './venue-records.ts';

/** The order that a signal placed or changed: its uuid at the network, its pair, and the exits it carries or is. */
export type Subject = { uuid: string; pair: string; exits: Exits };

/** The exits that a signal places or changes. */
export const subjectOf = ({ order_uuid, trade_pair = '' }: Signal): Subject => ({
  uuid: order_uuid,
  pair: trade_pair,
  exits: { execution_type: 'BRACKET' },
});

/**
 * What the network did to an order whose signal it accepted (`data`) or rejected (`said`), as its records show it. Null: a
 * record is missing that could show it. `none`: complete records do not have the order.
 */
export function effectOn(
  { uuid, pair, exits }: Subject,
  records: Records,
  { data, said }: { data: SignalAccepted; said: Rejected | null },
): Done | 'none' | null {
  const shown = findProven(records, uuid);
  if (!isShown(shown)) return shown === 'none' ? 'none' : null;
  const { lifecycle, order } = shown;
  const protection = protectionAfter({ pair, exits }, shown, records, said);
  if (!protection) return null;
  return {
    ...data,
    lifecycle,
    protection,
    executed: lifecycle === 'filled' ? ((order && executedBy(order)) ?? data.executed) : null,
    fills: shown.fills,
    note:
      noteOn(lifecycle, isExit(exits), said) ??
      (lifecycle === 'filled' ? noteOnFill(protection, shown.fills) : null) ??
      data.note,
  };
}

/** The protection that an order is or carries, in this state. Null: a record is missing that could show it. */
export function protectionAfter(
  { pair, exits }: Omit<Subject, 'uuid'>,
  shown: Pick<VisibleResult, 'lifecycle' | 'name'>,
  records: Records,
  said: Rejected | null,
): Protection | null {
  if (shown.lifecycle === 'resting') return isExit(exits) || carriesExits(exits) ? PLACED : NO_PROTECTION;
  if (!isExit(exits))
    return shown.lifecycle === 'filled'
      ? protectionShown(exits, shown, records, said && reasonOf(said))
      : NO_PROTECTION;
  if (shown.lifecycle === 'filled') return NO_PROTECTION; // it has done its work
  const held = isHeld(records, pair);
  if (held === null) return null;
  return held ? { state: 'failed', error: said ? reasonOf(said) : EXIT_CANCELLED } : NO_PROTECTION;
}

/**
 * Whether a position is open in a pair; null if that is not proven. A section that the dashboard lacks is empty or failed
 * internally: then only a book without a filled order in the pair proves that nothing is open.
 */
export function isHeld(records: Records, pair: string): boolean | null {
  const { dashboard, book } = records;
  if (dashboard.kind !== 'found') return null;
  if (dashboard.data.positions.some((one) => isOpenPosition(one) && samePair(one.tradePair, pair))) return true;
  if (dashboard.data.reported.positions) return false;
  if (!mayProve(records)) return null;
  const filled = book.kind === 'found' ? book.data.filled : [];
  return filled.some(({ tradePair }) => tradePair === null || samePair(tradePair, pair)) ? null : false;
}

const isExit = ({ execution_type }: Exits) => execution_type === 'BRACKET';

const reasonOf = ({ words, message }: Rejected) => words ?? message;

/** The message to the caller for an order that was filled more than once or without its exits; else null. */
export function noteOnFill({ state }: Protection, fills: number): string | null {
  const notes = [...(fills > 1 ? [filledAgain(fills)] : []), ...(state === 'failed' ? [EXITS_FAILED] : [])];
  return notes.length > 0 ? notes.join(' ') : null;
}

const EXITS_FAILED = 'The order is filled, but its stop-loss or take-profit could not be placed; protect the position.';

const filledAgain = (fills: number) =>
  `The network filled this order ${fills} times under its uuid; executed is the sum. Reduce the position if it is too large.`;

const EXIT_CANCELLED = 'The network cancelled the exits; protect the position.';

/** The message to the caller for an order that no longer rests; null if there is nothing to say. */
function noteOn(lifecycle: Lifecycle, isOfExit: boolean, said: Rejected | null): string | null {
  if (lifecycle === 'cancelled')
    return `The venue cancelled the ${isOfExit ? 'exits' : 'order'}${said ? `: ${said.message}` : '.'}`;
  return lifecycle === 'filled' && isOfExit ? 'The price of the exits was already reached; they were executed.' : null;
}

/**
 * What became of an order whose signal the venue accepted (`data`). The acceptance says only that it took the signal. If the
 * records cannot be read, they are looked up soon.
 */
export async function withEffect(
  at: AtMiner | null,
  subject: Subject,
  data: SignalAccepted,
): Promise<Accepted<Done> | UnknownEffect> {
  const effect = at && effectOn(subject, await readRecords(at), { data, said: null });
  if (effect === null) return acknowledged('accepted, but its effect could not be read');
  return accepted(effect === 'none' ? data : effect);
}
