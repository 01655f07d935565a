import type { Db } from '../db/pool.ts';
import type { Accepted } from '../intents/accept.ts';
import type { Intent } from '../intents/intent.ts';
import type { EventStream } from '../kernel/event-stream.ts';
import type { OwnerId, WithIds } from '../kernel/ids.ts';
import type { Principal } from '../kernel/principal.ts';
import type { TextStream } from '../kernel/text-stream.ts';
import type { Budget } from '../kernel/throttles.ts';
import type { Body } from './body.ts';
import type { OperationId } from './document.ts';
import type { operations } from './types.ts';

type JsonOf<R> = R extends { content: { 'application/json': infer Body; 'text/csv': string } }
  ? Body | TextStream
  : R extends { content: { 'application/json': infer Body } }
    ? Body
    : R extends { content: { 'text/html': infer Page } | { 'text/csv': infer Page } }
      ? Page
      : R extends { content: { 'text/event-stream': string } }
        ? EventStream
        : undefined;
/** Statuses a handler may respond with: success, and any status with an HTML page. Handlers throw all other errors. */
type RespondableStatus<Status, R> = Status extends 200 | 201 | 202 | 204
  ? Status
  : R extends { content: { 'text/html': string } }
    ? Status
    : never;
type Responses<Op extends OperationId> = operations[Op]['responses'];
type Part<Op extends OperationId, Where extends string> = operations[Op]['parameters'] extends {
  [P in Where]?: infer Members;
}
  ? [NonNullable<Members>] extends [never]
    ? Record<string, never>
    : WithIds<NonNullable<Members>>
  : Record<string, never>;

/** A response of the contract: one of the statuses above, with the body of that status. */
type Reply<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: [RespondableStatus<Status, Responses<Op>[Status]>] extends [never]
    ? never
    : { status: Status; body: JsonOf<Responses<Op>[Status]>; headers?: Record<string, string> };
}[keyof Responses<Op>];

/** A response before it is sent. */
export type AnyReply = { status: number; body: unknown; headers?: Record<string, string> };
/**
 * What this process counts of a partner's quota: requests that still weigh on it, and those rejected since the process
 * started.
 */
export type QuotaUse = (owner: OwnerId, perMinute: number) => { quota_used: number; quota_rejections: number };
/** See `Call.commit`. */
export type Commit = <R extends AnyReply>(write: (db: Db) => Promise<R>, replacedWithinMs?: number) => Promise<R>;

/** One request, authenticated and checked against the contract. */
export type Call<Op extends OperationId = OperationId, Deps = unknown> = {
  operation: Op;
  /** The dependencies of the handler. */
  deps: Deps;
  principal: Principal;
  requestId: string;
  path: Part<Op, 'path'>;
  query: Part<Op, 'query'>;
  header: Part<Op, 'header'>;
  body: Body<Op>;
  /** The unparsed body; empty if there is none. */
  raw: string;
  /** The first of these types that the caller prefers by `Accept`; false if it accepts none of them. */
  accepts(...types: string[]): string | false;
  /**
   * How long to wait for an outcome, in milliseconds: what is left of the caller's preferred wait, counted from the arrival of the request. So the
   * response is sent before the platform's router gives up, whatever was slow before.
   */
  waitMs(): number;
  /** Members of every intent that this request submits. */
  context: { owner: OwnerId; caller?: string; digest: string; request_id: string; idempotency_key?: string };
  /** The caller's IP address, as reported by trusted proxies or by an authenticated app. */
  address: string;
  /** The network of that address, by which attempts are counted. */
  network: string;
  /** Counts one attempt against each budget; throws V2_THROTTLED if one is exceeded. Sets the `RateLimit` headers. */
  throttle(...budgets: Budget[]): Promise<void>;
  /**
   * Runs a write that no intent holds, and its reply, in one transaction: what the reply shows is what was written, whoever
   * writes beside it. Under an Idempotency-Key both are one commit with the stored response: after a crash there is all of it
   * or nothing. `write` waits for nothing but the database it is given. A handler that afterwards waits for the outcome says
   * for how long, so that repeats wait for its reply as well.
   */
  commit: Commit;
  /** Notes the intent that the request has submitted: from here on, a fault denies no effect. */
  submitted(accepted: Accepted): void;
  /** Notes an intent as `submitted` does and waits until it ends, for at most `waitMs()`. Resolves to its current row. */
  settled(accepted: Accepted): Promise<Intent>;
};

/** A call of any operation, for code that several handlers share. */
export type CallWith<Deps> = Call<OperationId, Deps>;

/** Handles one operation. `Deps` lists exactly the dependencies it uses. */
export type Handler<Op extends OperationId, Deps = unknown> = (call: Call<Op, Deps>) => Promise<Reply<Op>>;
/** One handler for each operation of the contract. */
export type Handlers<Deps> = { [Op in OperationId]: Handler<Op, Deps> };
/** A handler for code that does not know its operation. */
export type AnyHandler = (call: Call) => Promise<AnyReply>;
/** The handlers of all operations, for the edge. */
export type AnyHandlers = Record<OperationId, AnyHandler>;
