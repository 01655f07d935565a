import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { openListener } from './listener.ts';
import { announcementOf } from './settled.ts';

/** The channel of a runner's jobs: the queue's own, on which it announces every job, or that of `announce_outbound`. */
export type JobsChannel = 'jobs:insert' | 'outbound_jobs';

const QUEUES_OWN = 'jobs:insert' satisfies JobsChannel;

/**
 * The notifications of the queue, on one connection for all runners of a process: PostgreSQL wakes every connection that listens at each commit that
 * notifies, and each time that is a transaction.
 */
export type QueueNews = {
  /**
   * The pool as the queue takes it: the connection that it wants to listen on is a stand-in, which announces the jobs of `channel` as the
   * queue expects them.
   */
  listeningOn(channel: JobsChannel, pool: pg.Pool): pg.Pool;
  close(): Promise<void>;
};

type Listening = (err: undefined, client: EventEmitter, release: () => void) => void;

type News = {
  /** The channels of the runners of this process. */
  channels: readonly JobsChannel[];
  /** Called with each row that `accept_intents` announces, before its job is announced. */
  onAccepted(intentId: string, row: string): void;
  onError(error: Error): void;
};

/** Opens that connection. */
export function openQueueNews(url: string, { channels, onAccepted, onError }: News): QueueNews {
  const standIns = new Map<EventEmitter, JobsChannel>();
  const announce = (client: EventEmitter, channel: string, payload: string) =>
    client.emit('notification', { channel, payload });
  const listener = openListener(url, {
    name: 'queue news',
    channels: [...channels, ...(channels.includes(QUEUES_OWN) ? ['accepted'] : []), 'worker:migrate'],
    onError,
    onNotification({ channel, payload = '' }) {
      if (channel === 'accepted') {
        const [intentId, row] = announcementOf(payload);
        if (row !== null) onAccepted(intentId, row);
        return;
      }
      for (const [client, own] of standIns)
        if (channel === own) announce(client, QUEUES_OWN, payload);
        else if (channel === 'worker:migrate') announce(client, channel, payload);
    },
    onListening() {
      for (const client of standIns.keys()) announce(client, QUEUES_OWN, ''); // of jobs that were queued before
    },
  });

  const connect = (channel: JobsChannel) => (listening: Listening) => {
    const client = Object.assign(new EventEmitter(), { query: async () => ({ rows: [] }) });
    standIns.set(client, channel);
    listening(undefined, client, () => standIns.delete(client));
  };

  return {
    listeningOn(channel, pool) {
      const listen = connect(channel);
      const connectOf = (...args: unknown[]) =>
        typeof args[0] === 'function' ? listen(args[0] as Listening) : pool.connect(); // as: the queue calls it in these two ways
      return new Proxy(pool, {
        get(_, name) {
          if (name === 'connect') return connectOf;
          const value: unknown = Reflect.get(pool, name);
          return typeof value === 'function' ? value.bind(pool) : value;
        },
      });
    },
    close: listener.close,
  };
}
