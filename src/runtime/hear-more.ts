import type { WorkerEvents } from 'graphile-worker';
import { announcementOf } from '../db/announcement.ts';
import type { JustAccepted } from '../intents/claim.ts';

/**
 * The queue announces every job on one channel, and a runner looks for jobs at each. Most are orders, so the outbound runner listens on a channel
 * of its own (`announce_outbound`) instead. The trading runner also hears the rows of order verbs that can start, before their jobs.
 */
export function hearMore(
  runner: 'trading' | 'outbound',
  events: WorkerEvents,
  accepted: Pick<JustAccepted, 'remember'>,
  onError: (error: Error) => void,
): void {
  const listen = runner === 'outbound' ? 'listen outbound_jobs; unlisten "jobs:insert"' : 'listen accepted';
  events.on('pool:listen:success', ({ client }) => {
    client.once('drain', () => void client.query(listen).catch(onError)); // after the queue's own `listen`
  });
  events.on('pool:listen:notification', ({ workerPool, message: { channel, payload = '' } }) => {
    if (channel === 'outbound_jobs') workerPool.nudge(1);
    if (channel !== 'accepted') return;
    const [intentId, row] = announcementOf(payload);
    if (row !== null) accepted.remember(intentId, row);
  });
}
