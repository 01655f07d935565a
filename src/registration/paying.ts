import type { Payer, PaymentTerms, Quote, SignedPayment, Tier, WalletProof } from '../adapters/registrar/types.ts';
import { findLiveKey, keyPlace } from '../enrollments/queries.ts';
import type { Ready } from '../intents/carry-out.ts';
import type { Intent, Problem } from '../intents/intent.ts';
import type { WorkerRuntime } from '../runtime.ts';
import { readBalance } from './balance.ts';
import type { PurchaseAsked } from './intents.ts';
import { problemOf } from './outcomes.ts';
import { isOtherPaying, openPayer } from './queries.ts';
import { agreedTerms, meetsMinimum, nonceOf } from './rules.ts';

/**
 * What is committed before a payment goes out, and all that any later sending of it uses: the body, the signed authorization and
 * one proof of the wallet for each time it may be posted (none where the wallet's own key is not at hand).
 */
export type SentPurchase = SignedPayment & { body: string; proofs: WalletProof[]; since_block: number };

/** How often a payment may be posted in all; the registrar takes each proof once. */
const POSTS = 6;

type Stop = { problem: Problem } | { notYet: Problem };
const notYet: Stop = { notYet: { code: 'V1_REGISTRAR_UNREACHABLE' } };

/**
 * Everything that comes before a payment: the balance, the price, the terms, the chain to look it up on, and last the signature.
 * What was signed before and provably never left goes out as it is.
 */
export async function preparePurchase(intent: Intent, runtime: WorkerRuntime): Promise<Ready<SentPurchase>> {
  if (intent.sent) return { send: intent.sent as SentPurchase }; // as: written below
  const asked = intent.asked as PurchaseAsked; // as purchaseRegistration wrote it
  if (await isOtherPaying(runtime.db, intent.id, asked.ex_address)) return notYet;
  const unfit = await judgeBalance(runtime, asked.ex_address);
  if (unfit) return unfit;
  const offer = await quoteFor(runtime, asked);
  if ('problem' in offer || 'notYet' in offer) return offer;
  return sign(intent, runtime, asked, offer);
}

async function judgeBalance({ reads }: WorkerRuntime, wallet: string): Promise<Stop | null> {
  const held = await readBalance(reads, wallet);
  if (held.kind !== 'found') return { notYet: { code: 'VENUE_UNREADABLE' } };
  return meetsMinimum(held.said) ? null : { problem: { code: 'V1_BALANCE_TOO_LOW' } };
}

type Offer = { body: string; quote: Quote; terms: PaymentTerms };

async function quoteFor({ registrar, config }: WorkerRuntime, asked: PurchaseAsked): Promise<Offer | Stop> {
  const tiers = await registrar.tiers(asked.miner_slug);
  if (tiers.kind === 'unreadable') return notYet;
  if (tiers.kind === 'absent') return { problem: { code: 'V1_MINER_UNKNOWN' } };
  const tier = tiers.said.find(({ accountSize }) => accountSize === asked.account_size);
  if (!tier) return { problem: { code: 'V1_ACCOUNT_SIZE_UNKNOWN' } };
  const body = registrar.bodyOf(registering(asked, tier));
  const quote = await registrar.quote(body);
  if (quote.kind === 'rejected') return { problem: problemOf(quote) };
  if (quote.kind !== 'accepted') return notYet;
  const { network, asset } = registrar;
  const agreed = { network, asset, priceUsdc: tier.priceUsdc, maxUsdc: config.REGISTRATION_MAX_USDC };
  const terms = agreedTerms(quote.said.accepts, agreed);
  return terms ? { body, quote: quote.said, terms } : { problem: { code: 'V1_PAYMENT_TERMS_UNFIT' } };
}

const registering = (asked: PurchaseAsked, { index }: Tier) => ({
  minerSlug: asked.miner_slug,
  exAddress: asked.ex_address,
  accountSize: asked.account_size,
  email: asked.email,
  tierIndex: index,
  ...(asked.payout_address !== null && { payoutAddress: asked.payout_address }),
});

async function sign(
  intent: Intent,
  runtime: WorkerRuntime,
  { ex_address: wallet }: PurchaseAsked,
  { body, quote, terms }: Offer,
): Promise<Ready<SentPurchase>> {
  const head = await runtime.registrar.head();
  if (head.kind !== 'found') return notYet; // a payment that could not be looked up is not made
  const payer = await openPayer(runtime, intent.id);
  if (!payer) throw new Error('A purchase lost its key before it was sent');
  const held = await runtime.registrar.balanceOf(payer.address);
  if (held.kind !== 'found') return notYet;
  if (BigInt(held.said) < BigInt(terms.amount)) {
    return { problem: { code: 'V1_PAYMENT_REFUSED', reason: 'insufficient_funds' } };
  }
  const nowMs = Date.now();
  const validBeforeS =
    Math.floor(nowMs / 1000) + Math.min(terms.maxTimeoutSeconds, runtime.config.REGISTRATION_VALID_S);
  const signed = await payer.authorize(quote, terms, { nonce: nonceOf(intent.id), validBeforeS });
  const owner = payer.address === wallet ? payer : await ownKeyOf(runtime, intent.owner, wallet);
  return { send: { ...signed, body, proofs: await provenFor(owner, body, nowMs), since_block: head.said.block } };
}

/** The wallet's own key, where this owner has enrolled it; an agent's cannot prove the wallet. */
async function ownKeyOf(
  { db, sealer, registrar }: WorkerRuntime,
  owner: string,
  wallet: string,
): Promise<Payer | null> {
  const key = await findLiveKey(db, owner, wallet);
  if (key?.signer !== wallet || !key.sealed) return null;
  return registrar.payerOf(sealer.open(key.sealed, keyPlace(key.id)).toString('hex'));
}

const provenFor = async (owner: Payer | null, body: string, nowMs: number): Promise<WalletProof[]> =>
  owner ? Promise.all(Array.from({ length: POSTS }, (_, n) => owner.prove(body, nowMs + n))) : [];
