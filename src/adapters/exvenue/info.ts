import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import { type HttpClient, parseJson, type Reply } from '../http.ts';
import { pauseOf } from './answers.ts';
import type { Budget } from './budget.ts';
import type { CallLimits } from './types.ts';

/** One read of the venue: `weight` is what it costs; `costsRows`: one more for every 20 rows of its answer. */
type Question = { body: { type: string } & Record<string, unknown>; weight?: number; costsRows?: boolean };

/** Asks the venue and reads its answer; `absent` only where `read` says so. */
export type AskInfo = <T>(
  question: Question,
  limits: CallLimits | undefined,
  read: (json: unknown) => Lookup<T> | null,
) => Promise<Lookup<T>>;

/** Reads are made while a caller waits. */
const READ_MS = 5_000;
/** Venue facts: rate limits, the weight of most reads; the common ones cost 2. */
const USUAL_WEIGHT = 20;
export const LIGHT = 2;
const ROWS_PER_WEIGHT = 20;

/** Asks below a base address, within a budget. */
export const infoFrom = (url: string, send: HttpClient, budget: Budget): AskInfo => {
  const ask = async ({ body, weight = USUAL_WEIGHT }: Question, limits: CallLimits): Promise<Reply> => {
    const { timeoutMs = READ_MS, notAfter = Date.now() + timeoutMs, signal } = limits;
    const granted = await budget.take({ weight, priority: 'read', untilMs: notAfter, signal });
    if (!granted) return { kind: 'unsent', why: 'BUDGET' };
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    return send({
      method: 'POST',
      url: `${url}/info`,
      headers,
      body: JSON.stringify(body),
      timeoutMs,
      signal,
      notAfter,
    });
  };
  return async (question, limits, read) => {
    const reply = await ask(question, limits ?? {});
    if (reply.kind !== 'response') return unreadable(reply.why);
    if (reply.status === 429) budget.halt(pauseOf(reply.headers) * 1_000);
    if (reply.status !== 200) return unreadable(`status ${reply.status}`);
    const json = parseJson(reply.text);
    if (question.costsRows && Array.isArray(json)) budget.charge(Math.floor(json.length / ROWS_PER_WEIGHT));
    return read(json) ?? unreadable(`unreadable answer to ${question.body.type}`);
  };
};

/** Makes a `Lookup` of what a reader got: null is unreadable. */
export const foundOr =
  <T>(read: (json: unknown) => T | null) =>
  (json: unknown): Lookup<T> | null => {
    const said = read(json);
    return said === null ? null : found(said);
  };
