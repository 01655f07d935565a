import type { Writer } from '../../kernel/event-stream.ts';
import { epochMs } from '../../kernel/work.ts';
import type { Credentials } from './queries.ts';

/** A stream to open. `after`: the position after which it resumes; without one, it starts with `snapshot`. */
export type StreamRequest = {
  /** The app of the account: its streams have a limit together. */
  app: string;
  account: string;
  caller: string;
  /** The credentials that opened it. The stream ends when one of them becomes invalid. */
  credentials: Credentials;
  after: number | null;
  intervalMs: number;
  snapshot(): Promise<unknown>;
};

/** One open stream. `position`: of the last event written to it. Times are in epoch milliseconds. */
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
  openedAt: epochMs(),
  endedAt: null,
  fullSince: null,
});

/** Whether more text may be written: the stream has started, has not ended, and its reader is not behind. */
export const canTakeMore = ({ writer, endedAt, fullSince }: Listener): boolean =>
  writer !== null && endedAt === null && fullSince === null;
