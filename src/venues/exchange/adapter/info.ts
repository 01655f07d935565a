import { LRUCache } from 'lru-cache';
import { type HttpClient, parseJson, type Reply } from '../../../adapters/http.ts';
import { type Priority, readWeights } from '../../../capacity/exchange.ts';
import { mostEntries } from '../../../kernel/cache.ts';
import { type Found, found, type ReadResult, type Unreadable, unreadable } from '../../../kernel/upstream-result.ts';
import { epochMs, presentWork } from '../../../kernel/work.ts';
import type { CallLimits } from './action-types.ts';
import type { Budget } from './budget.ts';
import { textOf } from './fields.ts';
import { pauseOf } from './responses.ts';

/**
 * One read of the venue. `weight` is its cost; `costsRows`: the cost rises by 1 for every 20 rows of the response, of which
 * there will probably be `expectRows`.
 */
type InfoRequest = {
  body: { type: string } & Record<string, unknown>;
  weight?: number;
  costsRows?: boolean;
  expectRows?: number;
};

/** Sends a read to the venue and reads its response. `absent` only if `read` returns it. */
export type QueryInfo = <Result extends ReadResult<unknown>>(
  request: InfoRequest,
  limits: CallLimits | undefined,
  read: (json: unknown) => Result | null,
) => Promise<Result | Unreadable>;

/** Reads are made while a caller waits. */
const READ_MS = 5_000;
/** See venues/exchange.md#rate-limits. */
const ROWS_PER_WEIGHT = 20;
/** See venues/exchange.md#rows. */
const MOST_ROWS = 2_000;
const KNOWN_HISTORIES = 2_000;

/**
 * Creates the reader for a base URL. Every read is charged to the budget. The rows of a history are charged in advance, as
 * many as the last time, and settled with the response; an unknown history of a caller counts as a full one, so that it
 * does not leave the budget overdrawn for the others.
 */
export const infoFrom = (url: string, send: Record<Priority, HttpClient>, budget: Budget): QueryInfo => {
  const rowsOf = new LRUCache<string, number>(mostEntries(KNOWN_HISTORIES));
  const expectedRows = ({ body, costsRows, expectRows }: InfoRequest, { priority = 'read' }: CallLimits) =>
    costsRows ? (expectRows ?? rowsOf.get(nameOf(body)) ?? (priority === 'read' ? MOST_ROWS : 0)) : 0;
  const post = async (body: InfoRequest['body'], weight: number, limits: CallLimits): Promise<Reply> => {
    const { timeoutMs = READ_MS, notAfter = epochMs() + timeoutMs, signal, priority = 'read' } = limits;
    const reader = textOf(body.user) ?? undefined;
    const granted = await budget.take({
      weight,
      priority,
      tenant: presentWork().tenant,
      reader,
      untilMs: notAfter,
      signal,
    });
    if (!granted) return { kind: 'unsent', why: 'BUDGET' };
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const json = JSON.stringify(body);
    const request = { url: `${url}/info`, headers, body: json, timeoutMs, signal, notAfter };
    const reply = await send[priority]({ method: 'POST', ...request });
    if (reply.kind === 'unsent') budget.charge(-weight);
    return reply;
  };
  return async (request, limits = {}, read) => {
    const { body, weight = readWeights.usual, costsRows } = request;
    const expected = weightOf(expectedRows(request, limits));
    const reply = await post(body, weight + expected, limits);
    if (reply.kind !== 'response') return unreadable(reply.why);
    if (reply.status === 429) budget.halt(pauseOf(reply.headers) * 1_000);
    if (reply.status !== 200) {
      budget.charge(-expected);
      return unreadable(`status ${reply.status}`);
    }
    const json = parseJson(reply.text);
    if (costsRows && Array.isArray(json)) {
      rowsOf.set(nameOf(body), json.length, { size: 1 });
      budget.charge(weightOf(json.length) - expected);
    }
    return read(json) ?? unreadable(`unreadable response to ${body.type}`);
  };
};

const nameOf = ({ type, user }: InfoRequest['body']) => `${type} ${user}`;

const weightOf = (rows: number) => Math.floor(rows / ROWS_PER_WEIGHT);

/** Turns a reader's value into a `ReadResult`. Null stays null, which means unreadable. */
export const foundOr =
  <T>(read: (json: unknown) => T | null) =>
  (json: unknown): Found<T> | null => {
    const data = read(json);
    return data === null ? null : found(data);
  };
