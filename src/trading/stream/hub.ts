import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import type { Settlements } from '../../db/settled.ts';
import type { Feed } from '../../kernel/feed.ts';
import { listenToAccounts } from './intents.ts';
import { type Listener, newListener, takesMore, type Wanted } from './listener.ts';
import { type AccountEvent, listEvents, listLogEnds, listVoid, readLogEnd } from './queries.ts';
import { endText, eventId, eventText, HEARTBEAT, retryText } from './rules.ts';
import { openSeats } from './seats.ts';

const BATCH = 500;
const HOLD_TICK_MS = 100; // how exactly `interval_ms` is kept
const LINGER_MS = 10_000; // what an ended stream's reader has to read the rest
const GROUNDS_LOOK_MS = 2_000; // within which a stream ends whose credentials were revoked
const LIVES_MS = 900_000; // then a reader connects again and shows its credentials anew

/** The streams of one process: events come over its one listening connection, and are read once per account however many listen. */
export type Streams = {
  /** Opens a stream; refuses where too many are open. What is told first is ready when this answers. */
  open(wanted: Wanted): Promise<Feed>;
  /** How many are open. */
  count(): number;
  /** Ends every stream, and those that are opened from now on, as a connection that is to be made again. */
  close(): void;
};

type Channel = { account: string; listeners: Set<Listener>; isReading: boolean; again: boolean; unfollow(): void };

/** Opens the process's streams. One timer serves all of them. */
export function openStreams(
  { db, settlements, log }: { db: Db; settlements: Pick<Settlements, 'follow'>; log: Logger },
  heartbeatMs: number,
): Streams {
  const channels = new Map<string, Channel>();
  const seats = openSeats();
  const held = new Set<Channel>();
  let holding: NodeJS.Timeout | undefined;
  let closed = false;
  const beating = setInterval(() => void beat(), heartbeatMs).unref();
  const looking = setInterval(() => void endGroundless(), GROUNDS_LOOK_MS).unref();

  async function openStream(wanted: Wanted): Promise<Feed> {
    if (closed) return { start: (outlet) => outlet.end(retryText(Math.random())), drained: () => {}, stop: () => {} };
    const release = seats.take(`${wanted.caller} ${wanted.account}`);
    const listener = newListener(wanted);
    const { channel, isNew } = join(wanted.account, listener); // before anything is read: no event can slip between
    const stop = () => {
      if (!channel.listeners.delete(listener)) return;
      release();
      if (channel.listeners.size === 0) drop(channel);
    };
    try {
      if (isNew) await listenToAccounts(db, [wanted.account]);
      const first = await firstText(wanted, listener);
      return {
        start(outlet) {
          if (closed) return outlet.end(retryText(Math.random()));
          listener.outlet = outlet;
          outlet.tell(retryText(Math.random()) + first);
          void pump(channel);
        },
        drained() {
          listener.fullSince = null;
          void pump(channel);
        },
        stop,
      };
    } catch (error) {
      stop();
      throw error;
    }
  }

  function join(account: string, listener: Listener): { channel: Channel; isNew: boolean } {
    const known = channels.get(account);
    const channel = known ?? newChannel(account);
    channel.listeners.add(listener);
    return { channel, isNew: known === undefined };
  }

  function newChannel(account: string): Channel {
    const channel: Channel = { account, listeners: new Set(), isReading: false, again: false, unfollow: () => {} };
    channel.unfollow = settlements.follow(account, () => void pump(channel));
    channels.set(account, channel);
    return channel;
  }

  function drop(channel: Channel): void {
    channel.unfollow();
    held.delete(channel);
    if (channels.get(channel.account) === channel) channels.delete(channel.account);
  }

  /** The place is read before the snapshot, which may show more than it: what happens twice is told twice, nothing is left out. */
  async function firstText({ account, after, snapshot }: Wanted, listener: Listener): Promise<string> {
    const end = await readLogEnd(db, account, after ?? 0);
    if (after !== null && end.is_whole) {
      listener.place = after;
      return '';
    }
    listener.place = end.last_position;
    return eventText(eventId(account, end.last_position), 'snapshot', JSON.stringify(await snapshot()));
  }

  /** Reads on behind the slowest listener that is due and tells each what it has not been told. One reader per account at a time. */
  async function pump(channel: Channel): Promise<void> {
    channel.again = true;
    if (channel.isReading) return;
    channel.isReading = true;
    try {
      while (channel.again) {
        channel.again = false;
        const due = dueOf(channel);
        if (due.length === 0) break;
        const events = await listEvents(db, channel.account, Math.min(...due.map(({ place }) => place)), BATCH);
        const texts = events.map((event) => ({ place: event.position, text: textOf(channel.account, event) }));
        for (const listener of due) tell(listener, texts);
        if (events.length === BATCH) channel.again = true;
      }
    } catch (err) {
      log.warn({ err }, 'events could not be read'); // the next beat looks again
    } finally {
      channel.isReading = false;
    }
  }

  function dueOf(channel: Channel): Listener[] {
    const listening = [...channel.listeners].filter(takesMore);
    const due = listening.filter(({ notBefore }) => notBefore <= Date.now());
    if (due.length < listening.length) hold(channel);
    return due;
  }

  /** Events for a reader that wants them gathered wait for the next tick. */
  function hold(channel: Channel): void {
    held.add(channel);
    holding ??= setTimeout(() => {
      holding = undefined;
      const waiting = [...held];
      held.clear();
      for (const one of waiting) void pump(one);
    }, HOLD_TICK_MS).unref();
  }

  function tell(listener: Listener, texts: { place: number; text: string }[]): void {
    const news = texts.filter(({ place }) => place > listener.place);
    const last = news.at(-1);
    if (!last) return;
    if (!say(listener, news.map(({ text }) => text).join(''))) return;
    listener.place = last.place;
    listener.notBefore = Date.now() + listener.intervalMs;
  }

  /** False: it was not said, for the reader has too much left to read. It is told on once it has read. */
  function say(listener: Listener, text: string): boolean {
    const said = listener.outlet?.tell(text) ?? false;
    if (!said) listener.fullSince ??= Date.now();
    return said;
  }

  function end(listener: Listener, last: string): void {
    listener.endedAt = Date.now();
    listener.outlet?.end(last);
  }

  /** Everything that is due now and then, for all streams at once. */
  async function beat(): Promise<void> {
    const now = Date.now();
    for (const { listeners } of channels.values()) for (const listener of listeners) keepAlive(listener, now);
    const accounts = [...channels.keys()];
    if (accounts.length === 0) return;
    try {
      await listenToAccounts(db, accounts);
      await lookForLost(accounts);
    } catch (err) {
      log.warn({ err }, 'streams could not be looked after');
    }
  }

  function keepAlive(listener: Listener, now: number): void {
    const { outlet, endedAt, openedAt, fullSince } = listener;
    if (outlet === null) return;
    if (endedAt !== null) {
      if (endedAt + LINGER_MS < now) outlet.cut();
    } else if (openedAt + LIVES_MS < now) end(listener, '');
    else if (!say(listener, HEARTBEAT) && (fullSince ?? now) + heartbeatMs <= now) {
      end(listener, endText('too_slow'));
      log.info('a reader of a stream is too slow');
    }
  }

  async function endGroundless(): Promise<void> {
    const listening = [...channels.values()].flatMap(({ listeners }) => [...listeners]);
    if (listening.length === 0) return;
    try {
      const ended = new Set(await listVoid(db, [...new Set(listening.flatMap(({ grounds }) => grounds))]));
      for (const listener of listening)
        if (listener.endedAt === null && listener.grounds.some((ground) => ended.has(ground)))
          end(listener, endText('revoked'));
    } catch (err) {
      log.warn({ err }, 'credentials of streams could not be looked at');
    }
  }

  /** A lost notification costs the time to the next beat and never an event. */
  async function lookForLost(accounts: string[]): Promise<void> {
    for (const { prop_account_id, last_position } of await listLogEnds(db, accounts)) {
      const channel = channels.get(prop_account_id);
      if (channel && [...channel.listeners].some(({ place }) => place < last_position)) void pump(channel);
    }
  }

  return {
    open: openStream,
    count: seats.count,
    close() {
      closed = true;
      clearInterval(beating);
      clearInterval(looking);
      clearTimeout(holding);
      for (const { listeners } of channels.values())
        for (const listener of listeners) if (listener.endedAt === null) end(listener, '');
    },
  };
}

const textOf = (account: string, { position, type, data }: AccountEvent): string =>
  eventText(eventId(account, position), type, data);
