import { found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { type HttpClient, parseJson, type Reply } from '../http.ts';
import type { Budget } from './budget.ts';
import { pauseOf } from './responses.ts';
import type { CallLimits } from './types.ts';

/** One read of the venue. `weight` is its cost; `costsRows`: the cost rises by 1 for every 20 rows of the response. */
type InfoRequest = { body: { type: string } & Record<string, unknown>; weight?: number; costsRows?: boolean };

/** Sends a read to the venue and reads its response. `absent` only if `read` returns it. */
export type QueryInfo = <T>(
  request: InfoRequest,
  limits: CallLimits | undefined,
  read: (json: unknown) => ReadResult<T> | null,
) => Promise<ReadResult<T>>;

/** Reads are made while a caller waits. */
const READ_MS = 5_000;
/** Venue facts: rate limits, the weight of most reads. */
const USUAL_WEIGHT = 20;
/** Venue facts: rate limits, the weight of the common reads. */
export const LIGHT = 2;
const ROWS_PER_WEIGHT = 20;

/** Creates the reader for a base URL. Every read is charged to the budget. */
export const infoFrom = (url: string, send: HttpClient, budget: Budget): QueryInfo => {
  const query = async ({ body, weight = USUAL_WEIGHT }: InfoRequest, limits: CallLimits): Promise<Reply> => {
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
  return async (request, limits, read) => {
    const reply = await query(request, limits ?? {});
    if (reply.kind !== 'response') return unreadable(reply.why);
    if (reply.status === 429) budget.halt(pauseOf(reply.headers) * 1_000);
    if (reply.status !== 200) return unreadable(`status ${reply.status}`);
    const json = parseJson(reply.text);
    if (request.costsRows && Array.isArray(json)) budget.charge(Math.floor(json.length / ROWS_PER_WEIGHT));
    return read(json) ?? unreadable(`unreadable response to ${request.body.type}`);
  };
};

/** Turns a reader's value into a `ReadResult`. Null stays null, which means unreadable. */
export const foundOr =
  <T>(read: (json: unknown) => T | null) =>
  (json: unknown): ReadResult<T> | null => {
    const data = read(json);
    return data === null ? null : found(data);
  };
