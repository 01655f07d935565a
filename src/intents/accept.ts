import { sql } from 'slonik';
import { z } from 'zod';
import { batched } from '../db/batched.ts';
import { databaseIsAway, wasUndone } from '../db/conflicts.ts';
import type { Db } from '../db/pool.ts';
import { Refusal } from '../kernel/refusals.ts';

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

/** The intent that now stands for the request: the new one, or the one an equal request made earlier. */
export type Accepted = { id: string; replayed: boolean };

/** Writes one intent durably, or refuses. `refuse` names the refusal of a verdict that only its kind knows. */
export type Accept<O extends Offer> = (
  offer: O,
  refuse?: (verdict: string) => Refusal | undefined,
) => Promise<Accepted>;

const verdictRow = z.object({ n: z.number(), intent_id: z.string(), verdict: z.string() });
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
    select n, intent_id, verdict
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

function verdictOf({ verdict, intent_id }: Verdict, offer: Offer, refuse: (verdict: string) => Refusal | undefined) {
  if (verdict === 'accepted') return { id: intent_id, replayed: intent_id !== offer.id };
  if (verdict === 'replayed') return { id: intent_id, replayed: true };
  if (verdict === 'key_reused') throw new Refusal('IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
  throw refuse(verdict) ?? new Error(`Unforeseen verdict ${verdict}`);
}
