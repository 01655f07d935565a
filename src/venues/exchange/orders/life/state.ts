import { shownMembers } from '../../../../intents/follow.ts';
import { compare, isPositive } from '../../../../kernel/decimals.ts';
import { errors, isErrorCode } from '../../../../kernel/error-codes.ts';
import { hasEnded } from '../../../../kernel/exchange-order-state.ts';
import type { ReadResult } from '../../../../kernel/upstream-result.ts';
import type { OrderRecord } from '../../adapter/types.ts';
import { filledSizeOf, isChanged } from '../../filled.ts';
import { orderResult } from '../results.ts';
import type { ExecutionReport } from '../rules.ts';
import { closingTerms, NOTHING_KNOWN, pendingReport, type ShownTerms } from '../views.ts';
import type { RecordedLife } from './queries.ts';

/**
 * The state of an order, as the exchange shows it (`isRead`) or as it was recorded last. The exchange's record of an open order does not show what
 * was filled since it came to rest: see venues/exchange.md#rows.
 */
export type StateNow = { report: ExecutionReport; terms: ShownTerms; message: string | null; isRead: boolean };

/** The state of an order by its record and, while it rests, by what the exchange shows of it. */
export function stateNow(recorded: RecordedLife, record: ReadResult<OrderRecord> | null): StateNow {
  const { order, outcome } = recorded;
  const terms = termsOf(recorded);
  const pending = pendingReport(order?.terms ?? NOTHING_KNOWN);
  if (outcome === null || recorded.settled_at === null) return { report: pending, terms, message: null, isRead: true };
  if ('problem' in outcome) {
    const { code, message, effect } = outcome.problem;
    const text = message ?? (isErrorCode(code) ? errors[code][1] : code);
    return { report: effect ? pending : rejected(pending), terms, message: text, isRead: true };
  }
  if (order === null) return { report: closingReport(outcome.result), terms, message: null, isRead: true };
  const report = order.executed ?? pending;
  const seen = record?.kind === 'found' ? record.data : null;
  const shown = seen && withRecord(report, seen, order.terms.reduce_only);
  return { report: shown ?? report, terms, message: null, isRead: seen !== null && shown !== null && hasEnded(seen) };
}

/** The report of an order without effect: it has no exits either. */
const rejected = (pending: ExecutionReport): ExecutionReport => ({
  ...pending,
  status: 'rejected',
  filled_size: '0',
  trigger_status: pending.trigger_status === 'not_requested' ? 'not_requested' : 'failed',
});

/**
 * A report with what the exchange shows; null if that is less than what is recorded, because the read is behind then. An unknown status proves
 * nothing, and neither does the end of an order if only executions show what was filled.
 */
function withRecord(
  report: ExecutionReport,
  { order, state }: OrderRecord,
  reduceOnly: boolean,
): ExecutionReport | null {
  if (state === 'unknown') return null;
  const known = report.filled_size ?? '0';
  const filled = isChanged(order.oid, report) ? null : filledSizeOf({ ...order, reduceOnly }, state);
  if (filled === null && hasEnded({ state })) return null;
  const filled_size = filled ?? known;
  if (compare(filled_size, known) < 0) return null;
  const fill_price = compare(filled_size, known) === 0 ? report.fill_price : null;
  return { ...report, filled_size, fill_price, status: statusOf(state, isPositive(filled_size)) };
}

function statusOf(state: OrderRecord['state'], isFilledInPart: boolean): ExecutionReport['status'] {
  if (state === 'filled') return 'filled';
  if (state === 'cancelled' || state === 'rejected') return 'cancelled';
  return isFilledInPart ? 'partial' : 'open';
}

/** The pair and side of a closing are in its request and its result; the side is null until its position was read. */
function termsOf({ order, request, outcome }: RecordedLife): ShownTerms {
  if (order) return order.terms;
  const result = outcome && 'result' in outcome ? shownMembers(outcome.result, orderResult) : null;
  return closingTerms(String(request.pair), result?.side ?? null);
}

function closingReport(result: Record<string, unknown>): ExecutionReport {
  const known = shownMembers(result, orderResult);
  return { ...pendingReport(NOTHING_KNOWN), ...Object.fromEntries(REPORTED.map((name) => [name, known[name]])) };
}

const REPORTED = ['ex_order_id', 'status', 'size', 'filled_size', 'fill_price', 'limit_price'] as const;
