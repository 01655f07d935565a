import { z } from 'zod';
import type { ReadResult, UpstreamResult } from '../../kernel/upstream-result.ts';
import { accepted, found, unknownEffect, unreachable, unreadable } from '../../kernel/upstream-result.ts';
import { parseJson, type Reply } from '../http.ts';
import { decodeHeader } from './headers.ts';
import { classifyRejection } from './rejections.ts';
import type { Quote, Registered, RegistrationView, Tier } from './types.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const txHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((hash) => hash.toLowerCase());

/** Loose: a payment passes the chosen terms back whole, with the members that this service does not know. */
const terms = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  amount: z.string().regex(/^\d{1,30}$/),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.number().positive(),
  extra: z.looseObject({
    name: z.string(),
    version: z.string(),
    assetTransferMethod: z.literal('eip3009').exactOptional(),
  }),
});
const quote = z.object({
  x402Version: z.literal(2),
  accepts: z.array(z.unknown()),
  resource: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

/** Price of a registration: the payment requirements of a 402, from its header or body (x402 v2, HTTP transport). */
export const quoteResponse = (reply: Reply): UpstreamResult<Quote> => {
  if (reply.kind !== 'response') return unreachable(reply.why); // a read: repeating it is harmless
  const rejection = classifyRejection(reply.status, parseJson(reply.text));
  if (rejection && reply.status !== 402) return rejection;
  const data = quote.safeParse(decodeHeader(reply.headers['payment-required']) ?? parseJson(reply.text));
  if (reply.status !== 402 || !data.success) return unreachable(`no quote, status ${reply.status}`);
  const accepts = data.data.accepts.flatMap((offered) => terms.safeParse(offered).data ?? []);
  const { resource, extensions } = data.data;
  return accepted({ accepts, resource: resource ?? null, extensions: extensions ?? null });
};

const registered = z.object({
  status: z.enum(['registered', 'pending']),
  txHash,
  message: z.string().nullish(),
});
const unrecorded = z.object({ txHash });

/**
 * Classifies the reply to a payment. 200 or 500 with a transaction hash: the payment was made. Rejections are sent
 * before settlement; on a repeat they prove nothing. All other cases are `unknown` and are decided by the chain:
 * facilitator down (502, 503), settlement failed (500), no response, unreadable response. See venues/registrar.md#error-statuses.
 */
export const payResponse = (reply: Reply, firstSend: boolean): UpstreamResult<Registered> => {
  if (reply.kind === 'unsent') return unreachable(reply.why);
  if (reply.kind === 'lost') return unknownEffect('no_response');
  const body = parseJson(reply.text);
  const registration = registered.safeParse(body);
  if (reply.status === 200)
    return registration.success
      ? accepted({ ...registration.data, message: registration.data.message ?? null })
      : unclear;
  const paid = unrecorded.safeParse(body);
  if (reply.status === 500 && paid.success) {
    return accepted({ status: 'unrecorded', txHash: paid.data.txHash, message: null });
  }
  if (reply.status === 500) return unknownEffect('settlement_unclear');
  if (reply.status === 502 || reply.status === 503) return unknownEffect('facilitator_down');
  const rejection = classifyRejection(reply.status, body);
  if (!rejection || paid.success) return unclear;
  return firstSend ? rejection : unknownEffect('rejected_on_repeat');
};

const unclear = unknownEffect('unclear_response');

const view = z.object({
  hl_address: z.string().nullish(),
  status: z.string().min(1),
  message: z.string().nullish(),
  estimated_time: z.string().nullish(),
});

/** The registration status of an address. That of another one is unreadable. See venues/registrar.md#registration-status. */
export const statusResponse = (reply: Reply, exAddress: string): ReadResult<RegistrationView> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const data = view.safeParse(parseJson(reply.text));
  if (reply.status !== 200 || !data.success) return unreadable(`status ${reply.status}`);
  const { status, message, estimated_time, hl_address } = data.data;
  if ((hl_address ?? exAddress).toLowerCase() !== exAddress.toLowerCase())
    return unreadable('the status of another address');
  if (status === 'not_found') return { kind: 'absent' };
  return found({ status, message: message ?? null, estimatedTime: estimated_time ?? null });
};

const price = z.union([z.string(), z.number()]).transform(String);
const tier = z.union([
  z.object({ account_size: z.number(), cost: price }),
  z.object({ accountSize: z.number(), priceUsdc: price }).transform((data) => ({
    account_size: data.accountSize,
    cost: data.priceUsdc,
  })),
]);
const miner = z.object({
  slug: z.string(),
  pricing_tiers: z.array(tier).optional(),
  tiers: z.array(tier).optional(),
});

/**
 * A miner's tiers from the catalogue, in either of its two formats. Another miner's unreadable entry does not matter.
 */
export const tiersResponse = (reply: Reply, minerSlug: string): ReadResult<Tier[]> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const miners = z.array(z.unknown()).safeParse(parseJson(reply.text));
  if (reply.status !== 200 || !miners.success) return unreadable(`status ${reply.status}`);
  const named = miners.data.find((entry) => z.object({ slug: z.literal(minerSlug) }).safeParse(entry).success);
  if (named === undefined) return { kind: 'absent' };
  const data = miner.safeParse(named);
  if (!data.success) return unreadable('the catalogue names no prices');
  const tiers = data.data.pricing_tiers ?? data.data.tiers;
  if (!tiers) return unreadable('the catalogue names no prices');
  return found(tiers.map(({ account_size, cost }, index) => ({ index, accountSize: account_size, priceUsdc: cost })));
};
