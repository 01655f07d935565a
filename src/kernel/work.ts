import { AsyncLocalStorage } from 'node:async_hooks';
import type { IntentId } from './id-kinds.ts';
import type { Spans } from './spans.ts';

/**
 * What a process works on: the members that every log line of this work has. `outcome`: the state of a task's intent. `status`: the HTTP status of an
 * upstream's last response. `isAsked`: a request to an upstream was made. `spans`: its timed parts, if they are traced. `isOperator`: it is for an
 * operator. `isExit`: it reduces what a trader risks.
 */
export type Work = {
  request_id?: string;
  intent_id?: IntentId;
  tenant?: string;
  task?: string;
  outcome?: string;
  status?: number;
  isAsked?: boolean;
  spans?: Spans | undefined;
  isOperator?: boolean;
  isExit?: boolean;
};

const work = new AsyncLocalStorage<Work>();

let openSpans: (() => Spans) | undefined;

/** Every new piece of work has the spans that `open` makes from now on. Undefined: none has. */
export const traceBy = (open: (() => Spans) | undefined): void => {
  openSpans = open;
};

/** A new piece of work, with spans if they are traced. */
export const newWork = (on: Work): Work => (openSpans ? { ...on, spans: openSpans() } : on);

/** Runs a function as one piece of work. What it awaits belongs to it too. */
export const workingOn = <Result>(on: Work, run: () => Result): Result => work.run(on, run);

/** Adds members to the present piece of work. */
export function noteWork(known: Work): void {
  const on = work.getStore();
  if (on) Object.assign(on, known);
}

/** The present piece of work; empty outside any. */
export const presentWork = (): Work => work.getStore() ?? {};

/** The members of a log line that name the present piece of work. */
export function workMembers(): Pick<Work, 'request_id' | 'intent_id' | 'tenant' | 'task'> {
  const {
    outcome: _,
    status: __,
    isAsked: ___,
    spans: ____,
    isOperator: _____,
    isExit: ______,
    ...named
  } = presentWork();
  return named;
}

let startAheadMs = 0;

/**
 * The time in epoch milliseconds, by which everything is decided: this process's clock as it was at the start, or the
 * database's where the two are more than 2 s apart (`goByDatabaseTime`). It goes on steadily when the host's clock jumps.
 */
export const epochMs = (): number => Math.floor(steadyMs()) - startAheadMs;

const END_MS = Date.UTC(10_000, 0); // RFC 3339 has years of four digits

/** A time in epoch ms that RFC 3339 can express; null for any other number. */
export const calendarMs = (ms: number | null): number | null => (ms !== null && ms >= 0 && ms < END_MS ? ms : null);

const SECOND_MS = 1_000;

/**
 * The time (epoch ms) to record for a read at an upstream whose events have a resolution of 1 s: rounded down, so that an event of the same second
 * does not count as older.
 */
export const readingTime = (): number => Math.floor(epochMs() / SECOND_MS) * SECOND_MS;

/** The host's time at the start of this process, in epoch milliseconds, plus what has passed since by the monotonic clock. */
export const steadyMs = (): number => performance.timeOrigin + performance.now();

/** Takes whole `aheadMs` off `steadyMs` from now on: 0 to go by the clock as it was at the start. */
export const goByDatabaseTime = (aheadMs: number): void => {
  startAheadMs = aheadMs;
};

const JUMP_MS = 5_000; // more than the clocks may be apart without a correction

let jumpedAt = Number.NEGATIVE_INFINITY;

/** Notes the time (epoch ms) that the database shows now: one that is far ahead of `epochMs` has jumped. */
export const noteDatabaseTime = (nowMs: number): void => {
  if (nowMs - epochMs() > JUMP_MS) jumpedAt = performance.now();
};

/** Whether the database's time has not jumped ahead for so long, as far as this process knows: ages of up to that are true. */
export const isSteadySince = (agoMs: number): boolean => performance.now() - jumpedAt > agoMs;
