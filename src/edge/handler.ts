import type { OperationId } from '../contract/document.ts';
import type { operations } from '../contract/types.ts';
import type { Accepted } from '../intents/accept.ts';
import type { Intent } from '../intents/intent.ts';
import type { Feed } from '../kernel/feed.ts';
import type { Principal } from '../kernel/principal.ts';
import type { Budget } from '../kernel/throttles.ts';
import type { WebRuntime } from '../runtime.ts';

type JsonOf<R> = R extends { content: { 'application/json': infer Body } }
  ? Body
  : R extends { content: { 'text/html': infer Page } }
    ? Page
    : R extends { content: { 'text/event-stream': string } }
      ? Feed
      : undefined;
/** Statuses a handler may answer with: those of success, and those it shows people a page for. Others are refusals. */
type Answerable<Status, R> = Status extends 200 | 201 | 202 | 204
  ? Status
  : R extends { content: { 'text/html': string } }
    ? Status
    : never;
type Responses<Op extends OperationId> = operations[Op]['responses'];
type Part<Op extends OperationId, Place extends string> = operations[Op]['parameters'] extends {
  [P in Place]?: infer Members;
}
  ? [NonNullable<Members>] extends [never]
    ? Record<string, never>
    : NonNullable<Members>
  : Record<string, never>;

/** The JSON body or form of an operation, checked and with defaults filled in. */
type Body<Op extends OperationId> = operations[Op] extends {
  requestBody?: { content: { 'application/json': infer Members } };
}
  ? Members
  : operations[Op] extends { requestBody?: { content: { 'application/x-www-form-urlencoded': infer Members } } }
    ? Members
    : undefined;

/** An answer the contract names: one of its statuses below 400 with the body of that status. */
type Reply<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: [Answerable<Status, Responses<Op>[Status]>] extends [never]
    ? never
    : { status: Status; body: JsonOf<Responses<Op>[Status]>; headers?: Record<string, string> };
}[keyof Responses<Op>];

/** What one request asks, once it has been authenticated and checked against the contract. */
export type Call<Op extends OperationId = OperationId> = {
  operation: Op;
  runtime: WebRuntime;
  principal: Principal;
  requestId: string;
  path: Part<Op, 'path'>;
  query: Part<Op, 'query'>;
  header: Part<Op, 'header'>;
  body: Body<Op>;
  /** The body as it came; empty where there was none. */
  raw: string;
  /** How long the caller prefers to wait for an outcome. */
  waitMs: number;
  /** Members every offered intent of this request carries. */
  asking: { owner: string; digest: string; request_id: string; idempotency_key?: string };
  /** The caller's address of the net, as the proxies in front report it or the app vouches for it. */
  address: string;
  /** The network of that address: what tries are counted by. */
  network: string;
  /** Counts one try against each budget; refuses with V2_THROTTLED where one is overspent. The answer tells how they stand. */
  throttle(...budgets: Budget[]): Promise<void>;
  /** Waits for an intent as long as the caller prefers. */
  settled(accepted: Accepted): Promise<Intent>;
};

export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<Reply<Op>>;
export type Handlers = { [Op in OperationId]: Handler<Op> };
