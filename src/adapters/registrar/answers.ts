import { z } from 'zod';
import { type Answer, accepted, found, inDoubt, type Lookup, unreachable, unreadable } from '../../kernel/answer.ts';
import { parseJson, type Reply } from '../http.ts';
import { decodeHeader } from './headers.ts';
import { judgeRefusal } from './refusals.ts';
import type { Quote, Registered, RegistrationView, Tier } from './types.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const txHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((hash) => hash.toLowerCase());

const terms = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: z.string().regex(/^\d{1,30}$/),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.number().positive(),
  extra: z.object({ name: z.string(), version: z.string() }),
});
const quote = z.object({
  x402Version: z.literal(2),
  accepts: z.array(z.unknown()),
  resource: z.record(z.string(), z.unknown()).nullish(),
});

/** What a registration costs: the requirements of a 402, by its header or its body (x402 v2, HTTP transport). */
export const quoteAnswer = (reply: Reply): Answer<Quote> => {
  if (reply.kind !== 'response') return unreachable(reply.why); // a question: asking again does no harm
  const refusal = judgeRefusal(reply.status, parseJson(reply.text));
  if (refusal && reply.status !== 402) return refusal;
  const said = quote.safeParse(decodeHeader(reply.headers['payment-required']) ?? parseJson(reply.text));
  if (reply.status !== 402 || !said.success) return unreachable(`no quote, status ${reply.status}`);
  const accepts = said.data.accepts.flatMap((offered) => terms.safeParse(offered).data ?? []);
  return accepted({ accepts, resource: said.data.resource ?? null });
};

const registered = z.object({
  status: z.enum(['registered', 'pending']),
  txHash,
  message: z.string().nullish(),
});
const unrecorded = z.object({ txHash });

/**
 * What the reply to a payment proves. 200 and 500 with the transaction's hash: it was paid. Refusals come before anything is
 * settled, and prove nothing on a repeat. A facilitator that is down (502, 503), a settlement that failed (500), silence and
 * whatever cannot be read leave it to the chain. Venue facts: register error statuses.
 */
export const payAnswer = (reply: Reply, firstSend: boolean): Answer<Registered> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return inDoubt('no_answer');
  const body = parseJson(reply.text);
  const yes = registered.safeParse(body);
  if (reply.status === 200) return yes.success ? accepted({ ...yes.data, message: yes.data.message ?? null }) : unclear;
  const paid = unrecorded.safeParse(body);
  if (reply.status === 500 && paid.success) {
    return accepted({ status: 'unrecorded', txHash: paid.data.txHash, message: null });
  }
  if (reply.status === 500) return inDoubt('settlement_unclear');
  if (reply.status === 502 || reply.status === 503) return inDoubt('facilitator_down');
  const refusal = judgeRefusal(reply.status, body);
  if (!refusal) return unclear;
  return firstSend ? refusal : inDoubt('refused_on_repeat');
};

const unclear = inDoubt('unclear_answer');

const view = z.object({
  status: z.string().min(1),
  message: z.string().nullish(),
  estimated_time: z.string().nullish(),
});

/** The registrar's word on an address. Venue facts: registration status. */
export const statusAnswer = (reply: Reply): Lookup<RegistrationView> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const said = view.safeParse(parseJson(reply.text));
  if (reply.status !== 200 || !said.success) return unreadable(`status ${reply.status}`);
  const { status, message, estimated_time } = said.data;
  if (status === 'not_found') return { kind: 'absent' };
  return found({ status, message: message ?? null, estimatedTime: estimated_time ?? null });
};

const price = z.union([z.string(), z.number()]).transform(String);
const tier = z.union([
  z.object({ account_size: z.number(), cost: price }),
  z.object({ accountSize: z.number(), priceUsdc: price }).transform((said) => ({
    account_size: said.accountSize,
    cost: said.priceUsdc,
  })),
]);
const miner = z.object({
  slug: z.string(),
  pricing_tiers: z.array(tier).optional(),
  tiers: z.array(tier).optional(),
});

/** A miner's accounts in the catalogue, in both spellings the catalogue has had. A miner that cannot be read hides no other. */
export const tiersAnswer = (reply: Reply, minerSlug: string): Lookup<Tier[]> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const miners = z.array(z.unknown()).safeParse(parseJson(reply.text));
  if (reply.status !== 200 || !miners.success) return unreadable(`status ${reply.status}`);
  const named = miners.data.find((entry) => z.object({ slug: z.literal(minerSlug) }).safeParse(entry).success);
  if (named === undefined) return { kind: 'absent' };
  const said = miner.safeParse(named);
  if (!said.success) return unreadable('the catalogue names no prices');
  const tiers = said.data.pricing_tiers ?? said.data.tiers ?? [];
  return found(tiers.map(({ account_size, cost }, index) => ({ index, accountSize: account_size, priceUsdc: cost })));
};
