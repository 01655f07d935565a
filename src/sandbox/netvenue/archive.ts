import type { Said } from '../party.ts';

/** The miner's archive of outcomes: one completed and one failed record a uuid, each overwritten by the next. */
export type Records = { completed: Map<string, object>; failed: Map<string, object> };

/** Keeps what was accepted. */
export const keepCompleted = (
  { completed }: Records,
  uuid: string,
  record: { signal_data: unknown; order_json: string | null },
): void => {
  completed.set(uuid, { ...record, processing_timestamp: Date.now() / 1000 });
};

/** Keeps what was refused. */
export const keepFailed = (
  { failed }: Records,
  uuid: string,
  record: { original_signal: unknown; error_message: string },
): void => {
  failed.set(uuid, { ...record, failure_timestamp: Date.now() / 1000 });
};

/** 404 for what is unknown or still in flight. A completed record is looked at first. Venue facts: miner REST API, order-status. */
export const archiveAnswer = ({ completed, failed }: Records, order_uuid: string): Said => {
  const yes = completed.get(order_uuid);
  if (yes) return { status: 200, body: { order_uuid, status: 'completed', details: yes } };
  const no = failed.get(order_uuid);
  if (no) return { status: 200, body: { order_uuid, status: 'failed', details: no } };
  return { status: 404, body: { order_uuid, status: 'not_found', message: 'Order not found' } };
};
