import {
  type Accepted,
  accepted,
  type ReadResult,
  type Rejected,
  recordedRejection,
  type UnknownEffect,
  type UpstreamResult,
} from '../../../kernel/upstream-result.ts';
import type { ArchivedOrder, Signal, SignalAccepted, UnprovenRejection } from '../adapter/signal-types.ts';
import { effectOn, noteOnFill, subjectOf } from './effects.ts';
import { ABSENT, type AtMiner, type Done, type Found, nothingExecuted, onceEnded, UNREAD } from './outcome.ts';
import { executedBy, protectionShown } from './protection.ts';
import { protectionWhenAccepted } from './rules.ts';
import {
  findProven,
  isShown,
  mayProve,
  type Records,
  readRecords,
  type VisibleResult,
  wereAllRead,
} from './venue-records.ts';

/**
 * Finds an order placed with the signal: on the validator's dashboard and in its book, and in the miner's archive. The
 * archive counts only if its record is of this placement: a later cancel or edit overwrites it. An order that the network has cancelled, because
 * its price was reached within the cooldown, is filled by the miner's next attempt, if there is one.
 */
export async function findPlaced(at: AtMiner, signal: Signal, archived: ReadResult<ArchivedOrder>): Promise<Found> {
  const records = await readRecords(at);
  const record = recordOf(archived, signal);
  const shown = findProven(records, signal.order_uuid);
  const objection = record?.said ?? null;
  if (isShown(shown) && !(shown.lifecycle === 'cancelled' && objection)) {
    const finding = fromRecords(signal, shown, records, { accepted: record?.accepted ?? null, objection });
    return shown.lifecycle === 'cancelled' && !record?.accepted ? onceEnded(finding) : finding;
  }
  if (record?.accepted && (record.accepted.executed?.price != null || wereAllRead(records)))
    return accepted(unlessNothing(signal, { ...record.accepted, protection: protectionWhenAccepted(signal) }));
  if (record?.said && mayProve(records)) return recordedRejection(record.said);
  return archived.kind !== 'unreadable' && wereAllRead(records) ? ABSENT : UNREAD;
}

/** The archived record, if it is of this placement. One that does not say whose it is proves nothing. */
const recordOf = (archived: ReadResult<ArchivedOrder>, { execution_type }: Signal): ArchivedOrder | null =>
  archived.kind === 'found' && archived.data.executionType === execution_type ? archived.data : null;

/**
 * The result of a placement whose rejection proves nothing by itself. The miner has responded, so the request is no longer
 * in flight: an order that complete records do not show was rejected.
 */
export async function resolveRejection(
  at: AtMiner,
  signal: Signal,
  { said, attempts }: UnprovenRejection,
): Promise<UpstreamResult<Done>> {
  if (signal.execution_type === 'BRACKET' && said.slug === 'bracket_invalid' && attempts === 'one') return said; // about itself, not its parent
  const records = await readRecords(at);
  const shown = findProven(records, signal.order_uuid);
  if (shown === 'unread') return UNREAD;
  return isShown(shown) && shown.lifecycle !== 'cancelled'
    ? fromRecords(signal, shown, records, { accepted: null, objection: said })
    : said;
}

/** What the network executed of an accepted market order whose response does not say it. */
export async function readExecution(
  at: AtMiner,
  signal: Signal,
  data: SignalAccepted,
): Promise<Accepted<Done> | UnknownEffect> {
  const records = await readRecords(at);
  const shown = findProven(records, signal.order_uuid);
  if (isShown(shown)) return fromRecords(signal, shown, records, { accepted: data, objection: null });
  return wereAllRead(records) ? accepted(unlessNothing(signal, data)) : UNREAD;
}

/** What complete records show of an accepted order that they do not have: a FLAT without a position executes nothing. */
const unlessNothing = ({ execution_type, order_type }: Signal, data: Done): Done =>
  execution_type === 'MARKET' && order_type === 'FLAT' && data.executed?.price == null
    ? { ...data, executed: null, note: 'No position was open; nothing was executed.', isNothing: true }
    : data;

const fromRecords = (
  signal: Signal,
  shown: VisibleResult,
  records: Records,
  { accepted: data, objection }: { accepted: SignalAccepted | null; objection: Rejected | null },
): Accepted<Done> | UnknownEffect => {
  if (signal.execution_type === 'BRACKET') {
    const effect = effectOn(subjectOf(signal), records, { data: data ?? nothingExecuted, said: objection });
    return effect === null || effect === 'none' ? UNREAD : accepted(effect);
  }
  const protection = protectionShown(signal, shown, records, objection && (objection.words ?? objection.message));
  if (!protection) return UNREAD;
  return accepted({
    ...(data ?? nothingExecuted),
    note: noteOnFill(protection, shown.fills) ?? data?.note ?? null,
    executed: (shown.lifecycle === 'filled' && shown.order ? executedBy(shown.order) : null) ?? data?.executed ?? null,
    lifecycle: shown.lifecycle,
    fills: shown.fills,
    protection,
  });
};
