import type { IntentId } from './ids.ts';

/** A request that a process has responded to, of a caller that it knows. Nothing of what the request carried is in it. */
export type RequestRecord = {
  owner: string;
  at_ms: number;
  operation: string;
  method: string;
  status: number;
  code: string | null;
  request_id: string;
  intent_id: IntentId | null;
  caller: string;
  /** The id of the partner key or client secret behind it, if it has one. */
  credential: string | null;
  ms: number;
};

/** The most records that wait in a process to be stored or counted. Further ones are not recorded: the database is away, or nobody scrapes. */
export const MOST_RECORDS = 20_000;
