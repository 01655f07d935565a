import type { Logger } from 'pino';
import type { Settlements } from '../../db/settled.ts';
import type { EventStream } from '../../kernel/event-stream.ts';
import { workingOn } from '../../kernel/work.ts';
import type { StreamLimit } from './limit.ts';
import { canTakeMore, type EventText, type Listener, newListener, partsFor, type StreamRequest } from './listener.ts';
import type { EventLogs } from './logs.ts';
import { endText, eventText, HEARTBEAT, retryText } from './rules.ts';

const BATCH = 100; // about what is kept for a reader that is behind: it is read again once that is taken
const HOLD_TICK_MS = 100; // the precision of `interval_ms`
const LINGER_MS = 10_000; // how long the reader of an ended stream may take to read the rest
const CREDENTIALS_CHECK_MS = 2_000; // a stream with revoked credentials ends within this time
const LIFETIME_MS = 900_000; // after this a reader must reconnect and authenticate again

/**
 * The streams of one process on logs of one kind. Notifications come over its LISTEN connection; events are read once
 * per log for all listeners.
 */
export type Streams = {
  /**
   * Opens a stream. Throws V1_STREAM_LIMIT or SERVICE_UNAVAILABLE if too many are open. Its first text is ready on
   * return.
   */
  open(request: StreamRequest): Promise<EventStream>;
  /** Ends all streams, and those opened from now on, so that readers reconnect. */
  close(): void;
};

type Followed = { listeners: Set<Listener>; isReading: boolean; again: boolean; unfollow(): void };
type Channel = Pick<StreamRequest, 'subject' | 'owner'> & Followed;

/** Makes the streams of a process. All of them share the same timers. */
export function openStreams(
  { logs, settlements, log }: { logs: EventLogs; settlements: Pick<Settlements, 'follow'>; log: Logger },
  heartbeatMs: number,
  limit: StreamLimit,
): Streams {
  const channels = new Map<string, Channel>();
  const held = new Set<Channel>();
  let holding: NodeJS.Timeout | undefined;
  let closed = false;
  const beating = setInterval(() => void beat(), heartbeatMs).unref();
  const checking = setInterval(() => void closeRevokedStreams(), CREDENTIALS_CHECK_MS).unref();

  async function openStream(request: StreamRequest): Promise<EventStream> {
    if (closed) return { start: (writer) => writer.end(retryText(Math.random())), drained: () => {}, stop: () => {} };
    const listener = newListener(request);
    const release = limit.take(request.owner, `${request.caller} ${request.subject}`, () => end(listener, ''));
    const { channel, isNew } = join(request, listener); // before the first read, so that no event is missed
    const stop = () => {
      if (!channel.listeners.delete(listener)) return;
      release();
      if (channel.listeners.size === 0) drop(channel);
    };
    try {
      if (isNew) await logs.listen([request.subject]);
      const first = await firstText(request, listener);
      return {
        start(writer) {
          if (closed) return writer.end(retryText(Math.random()));
          if (listener.endedAt !== null) return writer.end(endText('revoked')); // while its first text was read
          listener.writer = writer;
          writer.write(retryText(Math.random()) + first);
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

  function join(request: StreamRequest, listener: Listener): { channel: Channel; isNew: boolean } {
    const existing = channels.get(request.subject);
    const channel = existing ?? newChannel(request);
    channel.listeners.add(listener);
    return { channel, isNew: existing === undefined };
  }

  function newChannel({ subject, owner }: StreamRequest): Channel {
    const channel = { subject, owner, listeners: new Set<Listener>(), isReading: false, again: false, unfollow() {} };
    channel.unfollow = settlements.follow(subject, () => void pump(channel));
    channels.set(subject, channel);
    return channel;
  }

  function drop(channel: Channel): void {
    channel.unfollow();
    held.delete(channel);
    if (channels.get(channel.subject) === channel) channels.delete(channel.subject);
  }

  /**
   * The position is read before the snapshot, which may be newer. So an event may be sent twice, but none is missed.
   */
  async function firstText({ subject, after, snapshot }: StreamRequest, listener: Listener): Promise<string> {
    const end = await logs.end(subject, after ?? 0);
    if (after !== null && end.is_whole) {
      listener.position = after;
      return '';
    }
    listener.position = end.last_position;
    const first = JSON.stringify(await snapshot(end.last_position));
    return eventText(subject, { position: end.last_position, type: 'snapshot', data: first });
  }

  /** Writes to each due listener the events that it has not received. One reader per log at a time. */
  async function pump(channel: Channel): Promise<void> {
    channel.again = true;
    if (channel.isReading) return;
    channel.isReading = true;
    try {
      while (channel.again) {
        channel.again = false;
        const due = dueOf(channel);
        if (due.length === 0) break;
        const { subject, owner } = channel;
        if (await workingOn({ tenant: owner }, () => readBatch(subject, due))) channel.again = true; // a notification belongs to no tenant
      }
    } catch (err) {
      log.warn({ err }, 'reading events failed'); // the next beat tries again
    } finally {
      channel.isReading = false;
    }
  }

  /** Reads on after the slowest. Those ahead of its whole batch do not wait for it: they have their own. Whether there may be more. */
  async function readBatch(subject: string, due: Listener[]): Promise<boolean> {
    const events = await logs.list(subject, Math.min(...due.map(({ position }) => position)), BATCH);
    const texts = events.map((event) => ({ position: event.position, text: eventText(subject, event) }));
    for (const listener of due) write(listener, texts);
    const last = texts.at(-1)?.position;
    if (last === undefined || events.length < BATCH) return false;
    const ahead = due.filter(({ position }) => position > last);
    if (ahead.length > 0) await readBatch(subject, ahead);
    return true;
  }

  function dueOf(channel: Channel): Listener[] {
    const listening = [...channel.listeners].filter(canTakeMore);
    const due = listening.filter(({ notBefore }) => notBefore <= performance.now());
    if (due.length < listening.length) hold(channel);
    return due;
  }

  /** Events for a reader with `interval_ms` wait for the next tick. */
  function hold(channel: Channel): void {
    held.add(channel);
    holding ??= setTimeout(() => {
      holding = undefined;
      const waiting = [...held];
      held.clear();
      for (const one of waiting) void pump(one);
    }, HOLD_TICK_MS).unref();
  }

  /** A stream whose next event was deleted meanwhile ends; its reader connects again and begins with a snapshot. */
  function write(listener: Listener, texts: EventText[]): void {
    const parts = partsFor(listener, texts);
    if (parts === null) end(listener, '');
    for (const { position, text } of parts ?? []) {
      if (!tryWrite(listener, text)) return;
      listener.position = position;
      listener.notBefore = performance.now() + listener.intervalMs;
    }
  }

  /**
   * False: nothing was written because the reader has too much unread text. Writing continues once it has caught up.
   */
  function tryWrite(listener: Listener, text: string): boolean {
    const isWritten = listener.writer?.write(text) ?? false;
    if (!isWritten) listener.fullSince ??= performance.now();
    return isWritten;
  }

  function end(listener: Listener, last: string): void {
    listener.endedAt = performance.now();
    listener.writer?.end(last);
  }

  /** Periodic maintenance of all streams: heartbeats, leases, and a check for lost notifications. */
  async function beat(): Promise<void> {
    const now = performance.now();
    for (const { listeners } of channels.values()) for (const listener of listeners) keepAlive(listener, now);
    const subjects = [...channels.keys()];
    if (subjects.length === 0) return;
    try {
      await logs.listen(subjects);
      await checkForLost(subjects);
    } catch (err) {
      log.warn({ err }, 'stream maintenance failed');
    }
  }

  function keepAlive(listener: Listener, now: number): void {
    const { writer, endedAt, openedAt, fullSince } = listener;
    if (writer === null) return;
    if (endedAt !== null) {
      if (endedAt + LINGER_MS < now) writer.cut();
    } else if (openedAt + LIFETIME_MS < now) end(listener, '');
    else if (!tryWrite(listener, HEARTBEAT) && (fullSince ?? now) + heartbeatMs <= now) {
      end(listener, endText('too_slow'));
      log.info('stream reader is too slow');
    }
  }

  async function closeRevokedStreams(): Promise<void> {
    const listening = [...channels.values()].flatMap(({ listeners }) => [...listeners]);
    if (listening.length === 0) return;
    try {
      const credentials = new Set(listening.flatMap((listener) => listener.credentials));
      const invalid = new Set(await logs.invalid([...credentials]));
      for (const listener of listening)
        if (listener.endedAt === null && listener.credentials.some((credential) => invalid.has(credential)))
          end(listener, endText('revoked'));
    } catch (err) {
      log.warn({ err }, 'checking stream credentials failed');
    }
  }

  /**
   * Reads logs whose notification was lost. So a lost notification delays events until the next beat but loses
   * none.
   */
  async function checkForLost(subjects: string[]): Promise<void> {
    for (const { subject, last_position } of await logs.ends(subjects)) {
      const channel = channels.get(subject);
      if (channel && [...channel.listeners].some(({ position }) => position < last_position)) void pump(channel);
    }
  }

  return {
    open: openStream,
    close() {
      closed = true;
      clearInterval(beating);
      clearInterval(checking);
      clearTimeout(holding);
      for (const { listeners } of channels.values())
        for (const listener of listeners) if (listener.endedAt === null) end(listener, '');
    },
  };
}
