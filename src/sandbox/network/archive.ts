import type { Reported } from '../upstream.ts';

/** The miner's archive: one completed and one failed record per uuid, each overwritten by the next one. */
export type Records = { completed: Map<string, object>; failed: Map<string, object> };

/** Stores an accepted command. */
export const keepCompleted = (
  { completed }: Records,
  uuid: string,
  record: { signal_data: unknown; order_json: string | null },
): void => {
  completed.set(uuid, { ...record, processing_timestamp: Date.now() / 1000 });
};

/** Stores a rejected command. */
export const keepFailed = (
  { failed }: Records,
  uuid: string,
  record: { original_signal: unknown; error_message: string },
): void => {
  failed.set(uuid, { ...record, failure_timestamp: Date.now() / 1000 });
};

/**
 * 404 for an unknown uuid or one in flight. A completed record takes precedence. See venues/network.md#order-status.
 */
export const archiveResponse = ({ completed, failed }: Records, order_uuid: string): Reported => {
  const success = completed.get(order_uuid);
  if (success) return { status: 200, body: { order_uuid, status: 'completed', details: success } };
  const failure = failed.get(order_uuid);
  if (failure) return { status: 200, body: { order_uuid, status: 'failed', details: failure } };
  return { status: 404, body: { order_uuid, status: 'not_found', message: 'Order not found' } };
};
