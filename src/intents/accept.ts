import { sql } from 'slonik';
import { z } from 'zod';
import { batched } from '../db/batched.ts';
import { databaseIsAway, wasUndone } from '../db/conflicts.ts';
import type { Db } from '../db/pool.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Intent } from './intent.ts';

/** An intent to be accepted, as the SQL functions take it, with the members of its kind beside it. */
export type Offer = {
  id: string;
  kind: string;
  owner: string;
  lane?: string;
  asked: Record<string, unknown>;
  digest: string;
  deadline_s: number;
  request_id?: string;
  idempotency_key?: string;
};

/**
 * The intent that now stands for the request: the new one, with its row as it was written, or the one an equal request made
 * earlier, whose row has to be read.
 */
export type Accepted = { id: string; replayed: boolean; written?: Intent };

/** Writes one intent durably, or refuses. `refuse` names the refusal of a verdict that only its kind knows. */
export type Accept<O extends Offer> = (
  offer: O,
  refuse?: (verdict: string) => Refusal | undefined,
) => Promise<Accepted>;

const verdictRow = z.object({ n: z.number(), intent_id: z.string(), verdict: z.string(), at: z.string() });
type Verdict = z.infer<typeof verdictRow>;

const KEEP_TRYING_MS = 4_000; // an acceptance outlives a database that is restarting
const PAUSE_MS = 200;

/**
 * Makes a function that writes intents durably with one of the SQL functions `accept_…`: requests that come together share a
 * commit, each with its own verdict. When the database is away the same offer is made again for a few seconds: its id makes
 * a repeat harmless.
 */
export function acceptance<O extends Offer>(
  db: Db,
  sqlFunction:
    | 'accept_intents'
    | 'accept_network_orders'
    | 'accept_exchange_orders'
    | 'accept_registrations'
    | 'accept_checkouts'
    | 'accept_free_accounts'
    | 'accept_trading_orders',
): Accept<O> {
  const accept = batched((offers: O[]) => acceptBatch(db, sqlFunction, offers));
  return async (offer, refuse = () => undefined) => verdictOf(await withPatience(offer, accept), offer, refuse);
}

async function acceptBatch(db: Db, sqlFunction: string, offers: Offer[]): Promise<Verdict[]> {
  const batch = JSON.stringify(offers.map((offer, n) => ({ ...offer, n })));
  const rows = await db.any(sql.prepared(sqlFunction, verdictRow)`
    select n, intent_id, verdict, now() as at
    from ${sql.identifier([sqlFunction])}(${batch}::jsonb)
    order by n`);
  return [...rows];
}

async function withPatience<O extends Offer>(offer: O, accept: (offer: O) => Promise<Verdict>): Promise<Verdict> {
  const giveUpAt = Date.now() + KEEP_TRYING_MS;
  for (;;) {
    try {
      return await accept(offer);
    } catch (error) {
      if (!databaseIsAway(error) && !wasUndone(error)) throw error;
      if (Date.now() > giveUpAt) throw notKnownAccepted(offer);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** The commit may have happened though its answer did not arrive: the intent can be asked for later. */
const notKnownAccepted = (offer: Offer) =>
  new Refusal('SERVICE_UNAVAILABLE', {
    effect: 'unknown',
    intent_id: offer.id,
    retryable: offer.idempotency_key !== undefined,
  });

function verdictOf(
  { verdict, intent_id, at }: Verdict,
  offer: Offer,
  refuse: (verdict: string) => Refusal | undefined,
): Accepted {
  if (verdict === 'accepted' && intent_id === offer.id)
    return { id: intent_id, replayed: false, written: asWritten(offer, at) };
  if (verdict === 'accepted') return { id: intent_id, replayed: true };
  if (verdict === 'replayed') return { id: intent_id, replayed: true };
  if (verdict === 'key_reused') throw new Refusal('IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
  throw refuse(verdict) ?? new Error(`Unforeseen verdict ${verdict}`);
}

/** The row that `accept_intents` writes of an offer, in the transaction whose time was `at`. */
const asWritten = ({ id, kind, owner, lane, asked, deadline_s }: Offer, at: string): Intent => ({
  id,
  kind,
  owner,
  lane: lane ?? null,
  asked,
  state: 'queued',
  sent: null,
  outcome: null,
  fence: 0,
  tries: 0,
  looks: 0,
  created_at: at,
  deadline_at: new Date(Date.parse(at) + deadline_s * 1_000).toISOString(),
  sending_at: null,
  settled_at: null,
  sent_ago_ms: 0,
});
