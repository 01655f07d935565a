import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Hotkey, IntentId, WalletAddress } from '../kernel/ids.ts';
import { within } from '../kernel/within.ts';
import { batch } from './batch.ts';
import { endWhenSilent } from './limits.ts';
import { withSession } from './session.ts';

const RECONNECT_MS = 250;
const HEARTBEAT_MS = 3_000; // a connection without a sign of life for this long and SILENT_MS more is closed
const SILENT_MS = 3_000;
const CATCH_UP_MS = 1_000; // a connection slower than this is taken for one that is down
const DIRECT_READ_MS = 2_000; // a lost notification delays a response by at most this much

/** Notifications about settled intents and account events, over one LISTEN connection. */
export type Settlements = {
  /**
   * `notified` resolves when the intent may have settled, on `cancel`, and after `timeoutMs` or 2 s. The caller then reads
   * the row.
   */
  next(intentId: IntentId, timeoutMs: number): { notified: Promise<void>; cancel(): void };
  /**
   * Calls `ended` once with the intent, when it has settled or notifications may have been lost. A callback that many
   * intents share keeps nothing of each.
   */
  once(intentId: IntentId, ended: (intentId: IntentId) => void): void;
  /** Withdraws `once`. */
  forget(intentId: IntentId): void;
  /**
   * Calls `notify` whenever events of an account may have been written, and after every reconnect. Returns a function
   * that stops it.
   */
  follow(account: string, notify: () => void): () => void;
  /**
   * Resolves to true once every notification of a write that was visible before this call has been processed here; to
   * false if that cannot be known, because the connection is down or slow.
   */
  caughtUp(): Promise<boolean>;
  /** Whether the connection is up and listening. */
  isListening(): boolean;
  close(): Promise<void>;
};

/**
 * Opens the LISTEN connection of a process. It reconnects by itself and then notifies all waiters. `onTraded` is called with
 * the trader of a settled order verb before its waiters are notified, and with null when notifications may have been lost.
 */
export function listenForSettlements(
  url: string,
  onError: (error: Error) => void,
  onTraded: (trader: Hotkey | WalletAddress | null) => void = () => {},
): Settlements {
  const waiters = new Map<IntentId, Set<() => void>>();
  const followers = new Map<string, Set<() => void>>();
  const endings = new Map<IntentId, (intentId: IntentId) => void>();
  const catchUpChannel = `caught_up_${randomUUID().replaceAll('-', '')}`;
  let client: pg.Client | undefined;
  let closed = false;
  let listening = false;
  let reconnecting: NodeJS.Timeout | undefined;
  const connecting = connect();
  const heartbeat = setInterval(() => listening && client?.query('select 1').catch(onError), HEARTBEAT_MS);

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: withSession(url),
      application_name: 'settlements',
      keepAlive: true,
      connectionTimeoutMillis: SILENT_MS,
    });
    client = fresh;
    endWhenSilent(SILENT_MS, onError)(fresh);
    fresh.on('end', reconnect);
    fresh.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'traded') return onTraded(payload);
      if (channel !== 'settled') return notifyAll(followers.get(payload));
      end(payload);
      notifyAll(waiters.get(payload));
    });
    try {
      await fresh.connect();
      await fresh.query('set synchronous_commit = off'); // for `notify` below, which writes nothing to keep
      await fresh.query(`listen ${catchUpChannel}`);
      await fresh.query('listen account_events');
      await fresh.query('listen traded');
      await fresh.query('listen settled');
      listening = true;
      onTraded(null);
      for (const intentId of [...endings.keys()]) end(intentId);
      for (const set of [...waiters.values(), ...followers.values()]) notifyAll(set);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      reconnect();
    }
  }

  function end(intentId: IntentId): void {
    const ended = endings.get(intentId);
    endings.delete(intentId);
    ended?.(intentId);
  }

  function reconnect(): void {
    listening = false;
    if (closed || reconnecting) return;
    reconnecting = setTimeout(() => {
      reconnecting = undefined;
      void connect();
    }, RECONNECT_MS);
  }

  /**
   * A notification that this session sends itself is delivered before the end of its query, after all that were
   * committed before: PostgreSQL keeps them in one queue, in the order of the commits.
   */
  const catchUp = batch(async (callers: true[]) => {
    const isThrough =
      listening && client
        ? client.query(`notify ${catchUpChannel}`).then(
            () => true,
            () => false,
          )
        : false;
    const isCaughtUp = (await within(Promise.resolve(isThrough), CATCH_UP_MS)) === true;
    return callers.map(() => isCaughtUp);
  });

  /** Adds to the waiters of an intent. Returns a function that removes it. */
  function join(intentId: IntentId, done: () => void): () => void {
    const set = waiters.get(intentId) ?? new Set();
    waiters.set(intentId, set.add(done));
    return () => {
      set.delete(done);
      if (set.size === 0 && waiters.get(intentId) === set) waiters.delete(intentId);
    };
  }

  return {
    caughtUp: () => catchUp(true),
    next(intentId, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = () => {
        clearTimeout(timer);
        leave();
        resolve();
      };
      const leave = join(intentId, cancel);
      const timer = setTimeout(cancel, Math.max(0, Math.min(timeoutMs, DIRECT_READ_MS)));
      return { notified: promise, cancel };
    },
    once: (intentId, ended) => void endings.set(intentId, ended),
    forget: (intentId) => void endings.delete(intentId),
    follow(account, notify) {
      const set = followers.get(account) ?? new Set();
      followers.set(account, set.add(notify));
      return () => {
        set.delete(notify);
        if (set.size === 0 && followers.get(account) === set) followers.delete(account);
      };
    },
    isListening: () => listening,
    async close() {
      closed = true;
      clearTimeout(reconnecting);
      clearInterval(heartbeat);
      for (const set of [...waiters.values()]) notifyAll(set);
      await connecting;
      await client?.end().catch(() => {}); // it may be closed already
    },
  };
}

const notifyAll = (set: Set<() => void> | undefined) => {
  for (const done of [...(set ?? [])]) done();
};
