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
