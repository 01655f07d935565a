import type { Writer } from '../../kernel/event-stream.ts';
import type { OwnerId } from '../../kernel/ids.ts';

/** A stream to open. `after`: the position after which it resumes; without one, it starts with `snapshot`. */
export type StreamRequest = {
  /** The app or partner: its streams have a limit together. */
  owner: OwnerId;
  /** Whose log it is. */
  subject: string;
  caller: string;
  /** The credentials that opened it. The stream ends when one of them becomes invalid. */
  credentials: string[];
  after: number | null;
  intervalMs: number;
  /** The data of the first event, which is sent under the position `at`. It may be newer. */
  snapshot(at: number): Promise<unknown>;
};

/** One open stream. `position`: of the last event written to it. Times are those of `performance.now()`, which a failover does not set back. */
export type Listener = Pick<StreamRequest, 'credentials' | 'intervalMs'> & {
  position: number;
  writer: Writer | null;
  notBefore: number;
  openedAt: number;
  endedAt: number | null;
  /** Since when its reader has had too much unread text; null if it has not. */
  fullSince: number | null;
};

/** A new stream without a writer. It keeps no reference to the request, so that an idle stream needs little memory. */
export const newListener = ({ credentials, intervalMs }: StreamRequest): Listener => ({
  credentials,
  intervalMs,
  position: 0,
  writer: null,
  notBefore: 0,
  openedAt: performance.now(),
  endedAt: null,
  fullSince: null,
});

/** Whether more text may be written: the stream has started, has not ended, and its reader is not behind. */
export const canTakeMore = ({ writer, endedAt, fullSince }: Listener): boolean =>
  writer !== null && endedAt === null && fullSince === null;

/** The text of an event, or of several up to the one at `position`. */
export type EventText = { position: number; text: string };

const PART_LENGTH = 65_536; // a reader that is behind gets at most one part beyond what is kept for it

/** What a listener has not received of these events, in parts that are written one by one; null if its next event is not among them. */
export function partsFor(listener: Pick<Listener, 'position'>, texts: EventText[]): EventText[] | null {
  const unsent = texts.filter(({ position }) => position > listener.position);
  if (unsent[0] && unsent[0].position > listener.position + 1) return null;
  const parts: EventText[] = [];
  for (const { position, text } of unsent) {
    const last = parts.at(-1);
    if (!last || last.text.length >= PART_LENGTH) parts.push({ position, text });
    else Object.assign(last, { position, text: last.text + text });
  }
  return parts;
}
