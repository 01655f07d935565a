import type { ErrorCode } from '../../../src/kernel/error-codes.ts';
import type { Ask, Data } from '../identity.ts';
import type { Trading } from '../trading.ts';
import type { Count, countsOf } from './counts.ts';

export type Send = (key: string) => Promise<Data>;

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type AnyBody = any;

/** How it is known, beside the status, that a request has succeeded: a count that it raises by one, or what its body must be. */
type Success =
  | { makes: Count }
  /** Of reads, and of writes that change nothing countable. */
  | { shows: (body: AnyBody) => unknown };

/** A service in the state that brings an error about. Each step gets the rejection. */
export type Scene = Success & {
  /** The request that is rejected, and that succeeds under the same key if its error does not spend the key. */
  send: Send;
  /** What the advice asks for first. */
  heal?: (rejection: Data) => unknown;
  /** Lets so many seconds pass, where the error asks for a longer pause than a test may take. */
  pass?: (seconds: number) => unknown;
  /** The other request that the advice of an error that spends its key asks for. */
  instead?: (key: string, rejection: Data) => Promise<Data>;
  /** Whether the client follows the rejection by itself, as every 202. */
  isFollowed?: boolean;
  /** What the rejected write may have done already. */
  effect?: 'unknown' | 'done';
};
export type Scenes = Partial<Record<ErrorCode, () => Promise<Scene>>>;

/** The service of the scenes, once it has started, how their requests are sent, and what can be counted. */
export type Stage = {
  service(): Trading;
  /** By default at the service of the scenes. */
  asking(headers?: Record<string, string>, url?: string): Ask;
  counts: ReturnType<typeof countsOf>;
};

export const keyed = (key: string, json?: object) => ({ ...(json && { json }), headers: { 'Idempotency-Key': key } });
