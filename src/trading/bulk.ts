import type { components } from '../contract/types.ts';
import type { Call } from '../edge/handler.ts';
import { Refusal } from '../kernel/refusals.ts';
import { type Asking, closePosition } from '../orders/intents.ts';
import { orderResult } from '../orders/network/queries.ts';
import { readOpenPositions } from '../portfolio/network/queries.ts';
import { type ReadyAccount, refuseUnlessTrading } from './accounts.ts';

type Result = components['schemas']['BulkCloseResult']['results'][number];
type BulkCall = Pick<Call<'closeTradingPositions'>, 'runtime' | 'body' | 'waitMs'>;

/**
 * Closes positions side by side, one intent each, in the lanes of their pairs. Each answer stands for itself; `pending` names the
 * intents that have not ended. Refuses as a whole where the account may not trade, and where its positions cannot be read.
 */
export async function closeEach(call: BulkCall, account: ReadyAccount, who: Asking) {
  const open = await readOpenPositions(call.runtime.reads, account.hotkey);
  const pairs = new Map(open.map(({ position_uuid, trade_pair }) => [position_uuid, trade_pair]));
  if (call.body.position_uuids.some((uuid) => !pairs.has(uuid))) refuseUnlessTrading(account);
  const results = await Promise.all(
    call.body.position_uuids.map((uuid) => closeOne(call, who, uuid, pairs.get(uuid) ?? null)),
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

/** A repeat under the same Idempotency-Key finds the close of each position again. */
async function closeOne(
  { runtime, waitMs }: BulkCall,
  who: Asking,
  uuid: string,
  pair: string | null,
): Promise<Result> {
  const { idempotency_key: key } = who.asking;
  const one = { ...who, asking: { ...who.asking, ...(key !== undefined && { idempotency_key: `${key} ${uuid}` }) } };
  if (pair === null) return told(uuid, 'not_found');
  const accepted = await closePosition(one, pair, uuid);
  const intent = await runtime.wait(accepted, waitMs);
  try {
    const { message } = orderResult(intent, intent.id);
    return { ...told(uuid, intent.settled_at === null ? 'pending' : 'closed'), order_uuid: intent.id, message };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...told(uuid, 'failed'), order_uuid: intent.id, code: error.code, message: error.message };
  }
}

const told = (position_uuid: string, status: Result['status']): Result => ({
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
