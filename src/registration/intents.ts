import type { Registrar } from '../adapters/registrar/types.ts';
import type { components } from '../contract/types.ts';
import type { Accept, Accepted, Offer } from '../intents/accept.ts';
import { newIntentId } from '../kernel/ids.ts';
import { Refusal, type RefusalCode } from '../kernel/refusals.ts';
import type { Sealer } from '../kernel/seal.ts';
import { purchaseKeyPlace } from './queries.ts';

type Request = components['schemas']['PurchaseRequest'];

/** A purchase as `accept_registrations` takes it: the members of its row, and the sealed key beside what is asked. */
export type RegistrationOffer = Offer & {
  ex_address: string;
  miner_slug: string;
  account_size: number;
  payer: string;
  sealed: string;
};

/** What the tasks of a purchase read. Addresses in lower case. */
export type PurchaseAsked = {
  ex_address: string;
  miner_slug: string;
  account_size: number;
  payout_address: string | null;
  email: string;
};

type Who = {
  accept: Accept<RegistrationOffer>;
  asking: { owner: string; digest: string; request_id: string; idempotency_key?: string };
  deadlineMs: number;
  registrar: Registrar;
  sealer: Sealer;
};

/**
 * Accepts the purchase of a registration: intent, registration and sealed key in one transaction. Refuses what is no key, and an
 * address that has a registration alive or one that was paid for in vain.
 */
export function purchaseRegistration(who: Who, request: Request): Promise<Accepted> {
  const payer = who.registrar.payerOf(request.private_key);
  if (!payer) throw new Refusal('V1_KEY_UNUSABLE', { effect: 'none' });
  const id = newIntentId();
  const asked: PurchaseAsked = {
    ex_address: request.ex_wallet.toLowerCase(),
    miner_slug: request.miner_slug,
    account_size: request.account_size,
    payout_address: request.payout_wallet?.toLowerCase() ?? null,
    email: request.email,
  };
  const key = Buffer.from(request.private_key.replace(/^0x/i, ''), 'hex');
  return who.accept(
    {
      ...who.asking,
      id,
      kind: 'registration/purchase',
      lane: `registrar:${asked.ex_address}`,
      asked,
      deadline_s: who.deadlineMs / 1000,
      ex_address: asked.ex_address,
      miner_slug: asked.miner_slug,
      account_size: asked.account_size,
      payer: payer.address,
      sealed: who.sealer.seal(key, purchaseKeyPlace(id)).toString('hex'),
    },
    (verdict) => refusalOf[verdict] && new Refusal(refusalOf[verdict], { effect: 'none' }),
  );
}

const refusalOf: Record<string, RefusalCode> = {
  under_way: 'V1_REGISTRATION_UNDER_WAY',
  registered: 'V1_ALREADY_REGISTERED',
  paid: 'V1_REGISTRATION_UNRECORDED',
};
