import type { Outlet } from '../../kernel/feed.ts';
import type { Grounds } from './queries.ts';

/** What a stream is opened for. `after` is the place it resumes behind; `snapshot` is read where there is none. */
export type Wanted = {
  account: string;
  caller: string;
  /** What opened it: ended when that is good no longer. */
  grounds: Grounds;
  after: number | null;
  intervalMs: number;
  snapshot(): Promise<unknown>;
};

/** One open stream and how far it has been told. */
export type Listener = Pick<Wanted, 'grounds' | 'intervalMs'> & {
  place: number;
  outlet: Outlet | null;
  notBefore: number;
  openedAt: number;
  endedAt: number | null;
  /** Since when it has more to read than may wait for it. */
  fullSince: number | null;
};

/** A stream that is not told yet. Holds nothing of the request: an idle stream is to cost little. */
export const newListener = ({ grounds, intervalMs }: Wanted): Listener => ({
  grounds,
  intervalMs,
  place: 0,
  outlet: null,
  notBefore: 0,
  openedAt: Date.now(),
  endedAt: null,
  fullSince: null,
});

/** Whether it may be told more: it has begun, not ended, and has read most of what it was told. */
export const takesMore = ({ outlet, endedAt, fullSince }: Listener): boolean =>
  outlet !== null && endedAt === null && fullSince === null;
