import type { Call } from '../../contract/handler.ts';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Accepted } from '../../intents/accept.ts';
import { findSubmitted, type Wait } from '../../intents/follow.ts';
import { codeOfV2 } from '../../kernel/codes-of-v2.ts';
import { ApiError } from '../../kernel/errors.ts';
import { orderIdsOf } from '../../kernel/ids.ts';
import { noteWork } from '../../kernel/work.ts';
import { closePosition, type RequestContext } from '../../venues/network/orders/intents.ts';
import { orderResult } from '../../venues/network/orders/read-model.ts';
import { readOpenPairs } from '../../venues/network/portfolio/read-model.ts';
import type { VenueReads } from '../../venues/reads.ts';
import { type ReadyAccount, rejectUnlessTrading } from './accounts.ts';

type Result = components['schemas']['BulkCloseResult']['results'][number];
type Deps = { db: Db; reads: VenueReads; wait: Wait };
type BulkCall = Pick<Call<'closeTradingPositions', Deps>, 'deps' | 'body' | 'waitMs'>;

/**
 * Closes positions concurrently, one intent each, in the lanes of their pairs. Each has its own result; `pending` lists
 * the ids of the intents that have not ended. Throws if the account may not trade, or if none of them can be read; beside others, one that
 * cannot be read has failed.
 */
export async function closeEach(call: BulkCall, account: ReadyAccount, context: RequestContext) {
  noteWork({ isExit: true }); // its reads come before other reads of the app
  const uuids = unrepeated(call.body.position_uuids);
  const idIn = (pairs: ReadonlyMap<string, string>, uuid: string) =>
    orderIdsOf(account.owner, uuid).find((each) => pairs.has(each)); // a position has the id of its opening order
  const { pairs, areAll } = await readOpenPairs(call.deps.reads, account.hotkey, (shown) =>
    uuids.every((uuid) => idIn(shown, uuid) !== undefined),
  );
  const positionOf = (uuid: string) => {
    const id = idIn(pairs, uuid);
    return id === undefined ? null : { trade_pair: pairs.get(id) ?? '', position_uuid: id };
  };
  const closes = await Promise.all(
    uuids.map(async (uuid) => {
      const [position, one] = [positionOf(uuid), contextOfOne(context, uuid)];
      return { uuid, position, one, earlier: position ? null : await findSubmitted(call.deps.db, one.context) };
    }),
  );
  const missing = closes.filter(({ position, earlier }) => !position && !earlier);
  if (!areAll && missing.length === uuids.length) throw unreadable();
  if (missing.length > 0) rejectUnlessTrading(account);
  const results = await Promise.all(
    closes.map(async ({ uuid, position, one, earlier }) => {
      if (position) return resultOf(call, uuid, await closePosition(one, position));
      return earlier ? resultOf(call, uuid, earlier) : notClosed(uuid, areAll ? null : unreadable());
    }),
  );
  return {
    success: results.every(({ status }) => status === 'closed' || status === 'pending'),
    order_uuid: null,
    message: summary(results),
    processing_time: null,
    results,
    pending: results.flatMap(({ status, order_uuid }) => (status === 'pending' && order_uuid ? [order_uuid] : [])),
  };
}

const unreadable = () => new ApiError('VENUE_UNREADABLE');

/** Without uuids that differ from an earlier one only in upper and lower case, so that each position is closed and reported once. */
const unrepeated = (uuids: string[]): string[] =>
  uuids.filter((uuid, n) => uuids.findIndex((other) => other.toLowerCase() === uuid.toLowerCase()) === n);

/** A repeat with the same Idempotency-Key finds the same intent for each position, also for one that is closed by now. */
function contextOfOne(context: RequestContext, uuid: string): RequestContext {
  const { idempotency_key: key } = context.context;
  return key === undefined
    ? context
    : { ...context, context: { ...context.context, idempotency_key: `${key} ${uuid}` } };
}

async function resultOf({ deps, waitMs }: BulkCall, uuid: string, accepted: Accepted): Promise<Result> {
  const intent = await deps.wait(accepted, waitMs());
  try {
    const { message } = orderResult(intent);
    return { ...resultFor(uuid, intent.settled_at === null ? 'pending' : 'closed'), order_uuid: intent.id, message };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...notClosed(uuid, error), order_uuid: intent.id };
  }
}

const notClosed = (uuid: string, error: ApiError | null): Result =>
  error
    ? { ...resultFor(uuid, 'failed'), code: codeOfV2(error.code), message: error.message }
    : resultFor(uuid, 'not_found');

const resultFor = (position_uuid: string, status: Result['status']): Result => ({
  position_uuid,
  status,
  order_uuid: null,
  code: null,
  message: null,
});

function summary(results: Result[]): string {
  const closed = results.filter(({ status }) => status === 'closed').length;
  return `${closed} of ${results.length} closed.`;
}
