import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { mostEntries } from '../kernel/cache.ts';
import type { Hotkey, IntentId, WalletAddress } from '../kernel/ids.ts';
import { within } from '../kernel/within.ts';
import { batch } from './batch.ts';
import { openListener } from './listener.ts';

const CATCH_UP_MS = 1_000; // a connection slower than this is taken for one that is down
/** A lost notification delays a response by at most this much. */
export const DIRECT_READ_MS = 2_000;
const MOST_REMEMBERED = 2_000; // rows that have just been announced: the wait for one may begin after that

/** Notifications about settled intents and account events, over one LISTEN connection. */
export type Settlements = {
  /**
   * `notified` resolves when the intent may have settled (also just before this call), on `cancel`, and after
   * `timeoutMs` or 2 s. It resolves to the row of the ended intent if its end was announced with the row, else to null:
   * the caller then reads the row.
   */
  next(intentId: IntentId, timeoutMs: number): { notified: Promise<string | null>; cancel(): void };
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

/** What else the connection announces. */
type Announced = {
  /**
   * Called with the trader of a settled order verb, or of an event of what changed at its venue, before anybody is notified of
   * that, and with null when notifications may have been lost.
   */
  onTraded?(trader: Hotkey | WalletAddress | null): void;
  /** Called when a partner or one of its keys has changed, and when notifications may have been lost. */
  onPartnersChanged?(): void;
};

type Waiter = (row: string | null) => void;

/** Opens the LISTEN connection of a process. It reconnects by itself and then notifies all waiters. */
export function listenForSettlements(
  url: string,
  onError: (error: Error) => void,
  { onTraded = () => {}, onPartnersChanged = () => {} }: Announced = {},
): Settlements {
  const waiters = new Map<IntentId, Set<Waiter>>();
  const justAnnounced = new LRUCache<IntentId, { row: string | null }>({
    ...mostEntries(MOST_REMEMBERED),
    ttl: DIRECT_READ_MS,
  });
  const followers = new Map<string, Set<() => void>>();
  const endings = new Map<IntentId, (intentId: IntentId) => void>();
  const catchUpChannel = `caught_up_${randomUUID().replaceAll('-', '')}`;
  const listener = openListener(url, {
    name: 'settlements',
    channels: [catchUpChannel, 'account_events', 'traded', 'partners', 'settled'],
    onError,
    onNotification({ channel, payload = '' }) {
      if (channel === 'traded') return onTraded(payload);
      if (channel === 'partners') return onPartnersChanged();
      if (channel !== 'settled') return notifyAll(followers.get(payload));
      const [intentId, row] = announcementOf(payload);
      end(intentId);
      if (waiters.has(intentId)) notifyAll(waiters.get(intentId), row);
      else justAnnounced.set(intentId, { row }, { size: 1 });
    },
    onListening() {
      onTraded(null);
      onPartnersChanged();
      for (const intentId of [...endings.keys()]) end(intentId);
      for (const set of [...waiters.values()]) notifyAll(set, null);
      for (const set of [...followers.values()]) notifyAll(set);
    },
  });

  function end(intentId: IntentId): void {
    const ended = endings.get(intentId);
    endings.delete(intentId);
    ended?.(intentId);
  }

  /**
   * A notification that this session sends itself is delivered before the end of its query, after all that were
   * committed before: PostgreSQL keeps them in one queue, in the order of the commits.
   */
  const catchUp = batch(async (callers: true[]) => {
    const isThrough = listener.notify(catchUpChannel).then(
      () => true,
      () => false,
    );
    const isCaughtUp = (await within(isThrough, CATCH_UP_MS)) === true;
    return callers.map(() => isCaughtUp);
  });

  /** Adds to the waiters of an intent. Returns a function that removes it. */
  function join(intentId: IntentId, done: Waiter): () => void {
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
      const { promise, resolve } = Promise.withResolvers<string | null>();
      const known = justAnnounced.get(intentId);
      if (known?.row === null) justAnnounced.delete(intentId); // else one that has not ended would be read in a loop
      if (known) return { notified: Promise.resolve(known.row), cancel: () => {} };
      const done = (ended: string | null) => {
        clearTimeout(timer);
        leave();
        resolve(ended);
      };
      const leave = join(intentId, done);
      const timer = setTimeout(done, Math.max(0, Math.min(timeoutMs, DIRECT_READ_MS)), null);
      return { notified: promise, cancel: () => done(null) };
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
    isListening: listener.isListening,
    async close() {
      for (const set of [...waiters.values()]) notifyAll(set, null);
      await listener.close();
    },
  };
}

const notifyAll = <Notice extends unknown[]>(set: Set<(...notice: Notice) => void> | undefined, ...notice: Notice) => {
  for (const done of [...(set ?? [])]) done(...notice);
};

/** An announcement of the SQL function `announce_intent`: the intent's id, and its row as JSON. Null: the row was left out, read it. */
export function announcementOf(payload: string): [id: string, row: string | null] {
  const end = payload.indexOf(' ');
  return end < 0 ? [payload, null] : [payload.slice(0, end), payload.slice(end + 1)];
}
