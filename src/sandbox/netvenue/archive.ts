import type { Said } from '../party.ts';

/** The miner's archive of outcomes: one completed and one failed record a uuid, each overwritten by the next. */
export type Archive = {
  completed(uuid: string, record: { signal_data: unknown; order_json: string | null }): void;
  failed(uuid: string, record: { original_signal: unknown; error_message: string }): void;
  /** 404 for what is unknown or still in flight. A completed record is looked at first. */
  answer(uuid: string): Said;
};

/** An empty archive. Venue facts: miner REST API, order-status. */
export const openArchive = (): Archive => {
  const completed = new Map<string, object>();
  const failed = new Map<string, object>();
  return {
    completed: (uuid, record) => {
      completed.set(uuid, { ...record, processing_timestamp: Date.now() / 1000 });
    },
    failed: (uuid, record) => {
      failed.set(uuid, { ...record, failure_timestamp: Date.now() / 1000 });
    },
    answer: (order_uuid) => {
      const yes = completed.get(order_uuid);
      if (yes) return { status: 200, body: { order_uuid, status: 'completed', details: yes } };
      const no = failed.get(order_uuid);
      if (no) return { status: 200, body: { order_uuid, status: 'failed', details: no } };
      return { status: 404, body: { order_uuid, status: 'not_found', message: 'Order not found' } };
    },
  };
};
