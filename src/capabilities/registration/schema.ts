import { z } from 'zod';
import { idSchema } from '../../kernel/ids.ts';

/** The request of a purchase. Addresses in lower case, the size in USD. */
export const purchaseRequest = z.object({
  ex_address: idSchema.wallet,
  miner_slug: z.string(),
  account_size: z.number(),
  payout_address: idSchema.wallet.nullable(),
  email: z.string(),
});

/** The request of a purchase. */
export type PurchaseRequest = z.infer<typeof purchaseRequest>;

const authorization = z.object({
  from: z.string(),
  to: z.string(),
  value: z.string(),
  validAfter: z.string(),
  validBefore: z.string(),
  nonce: z.string(),
});

/**
 * What is committed before a payment is sent, and what every later post uses: the body, the signed authorization, the
 * head block when it was signed, and one wallet proof per post (none if the wallet's key is not enrolled).
 */
export const purchasePayload = z.object({
  authorization,
  header: z.string(),
  body: z.string(),
  proofs: z.array(z.object({ wallet: idSchema.wallet, signature: z.string(), nonce: z.string() })),
  since_block: z.number(),
});

/** What a purchase commits before it is sent. */
export type PurchasePayload = z.infer<typeof purchasePayload>;
