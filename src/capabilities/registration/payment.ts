import type { Payer, PaymentTerms, Quote, Registrar, Tier, WalletProof } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import type { IntentOf, Prepared } from '../../intents/define.ts';
import type { WalletAddress } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { epochMs } from '../../kernel/work.ts';
import { findBalance } from '../../venues/exchange/portfolio/read-model.ts';
import { findLiveKey, keySealContext } from '../../venues/exchange/signing/commands.ts';
import type { VenueReads } from '../../venues/reads.ts';
import { isOtherPaying, isPaidAlready, openPayer } from './queries.ts';
import { problemOf } from './results.ts';
import { agreedTerms, isEnd, meetsMinimum, nonceOf, statusOf, validBefore } from './rules.ts';
import { type PurchasePayload, type PurchaseRequest, purchasePayload } from './schema.ts';

/** What preparing a payment needs. */
export type PaymentDeps = {
  db: Db;
  sealer: Sealer;
  registrar: Registrar;
  reads: VenueReads;
  config: {
    REGISTRATION_MAX_USDC: number;
    REGISTRATION_PAYEES: readonly string[] | null;
    REGISTRATION_VALID_S: number;
  };
};

/** The maximum number of posts of one payment. The registrar accepts each proof once. */
const POSTS = 6;

type Purchase = IntentOf<PurchaseRequest>;
type Stop = Exclude<Prepared<never>, { send: never } | { done: unknown }>;

const unreachableYet: Stop = { wait: { code: 'V1_REGISTRAR_UNREACHABLE' } };

/**
 * Prepares a payment: reads the balance, the price, the terms, the account and the chain's head, and signs last. A payment
 * that was signed earlier and provably never sent is sent unchanged.
 */
export async function preparePayment(intent: Purchase, deps: PaymentDeps): Promise<Prepared<PurchasePayload>> {
  if (intent.sent_payload) return { send: purchasePayload.parse(intent.sent_payload) };
  const { ex_address: wallet } = intent.request;
  if (await isOtherPaying(deps.db, intent.id, wallet)) return unreachableYet;
  if (await isPaidAlready(deps.db, intent.id)) return { fail: { code: 'V1_REGISTRATION_UNRECORDED' } };
  const stop = await checkBalance(deps, wallet);
  if (stop) return stop;
  const quoted = await quoteFor(deps, intent.request);
  if (!('terms' in quoted)) return quoted;
  return (await checkAccount(deps, wallet)) ?? sign(intent, deps, quoted);
}

/**
 * Stops if the address has an account at the network that has not ended. The registrar quotes a price for one that another
 * miner created, takes the payment and then registers nothing. See venues/registrar.md#registration-status.
 */
async function checkAccount({ registrar }: PaymentDeps, wallet: WalletAddress): Promise<Stop | null> {
  const view = await registrar.status(wallet);
  if (view.kind === 'unreadable') return unreachableYet;
  const hasAccount = view.kind === 'found' && !isEnd(statusOf(view.data.status));
  return hasAccount ? { fail: { code: 'V1_ALREADY_REGISTERED', reason: 'already_registered' } } : null;
}

/** A balance that is too low is read again without the cache: the wallet may have been funded a moment ago. */
async function checkBalance({ reads }: PaymentDeps, wallet: WalletAddress): Promise<Stop | null> {
  let balance = await findBalance(reads, wallet);
  if (balance !== null && !meetsMinimum(balance)) {
    reads.forgetTrader(wallet);
    balance = await findBalance(reads, wallet);
  }
  if (balance === null) return { wait: { code: 'VENUE_UNREADABLE' } };
  return meetsMinimum(balance) ? null : { fail: { code: 'V1_BALANCE_TOO_LOW' } };
}

type Quoted = { body: string; quote: Quote; terms: PaymentTerms };

/** No other operation of this service lists what a miner sells. */
const offered = (tiers: Tier[]) =>
  `The miner does not offer this account size; it offers ${tiers.map(({ accountSize }) => accountSize).join(', ') || 'none'}.`;

async function quoteFor({ registrar, config }: PaymentDeps, request: PurchaseRequest): Promise<Quoted | Stop> {
  const tiers = await registrar.tiers(request.miner_slug);
  if (tiers.kind === 'unreadable') return unreachableYet;
  if (tiers.kind === 'absent') return { fail: { code: 'V1_MINER_UNKNOWN' } };
  const tier = tiers.data.find(({ accountSize }) => accountSize === request.account_size);
  if (!tier) return { fail: { code: 'V1_ACCOUNT_SIZE_UNKNOWN', message: offered(tiers.data) } };
  const body = registrar.bodyOf(registering(request, tier));
  const quote = await registrar.quote(body);
  if (quote.kind === 'rejected') return { fail: problemOf(quote) };
  if (quote.kind !== 'accepted') return unreachableYet;
  const { network, asset } = registrar;
  const { REGISTRATION_MAX_USDC: maxUsdc, REGISTRATION_PAYEES: payees } = config;
  const agreed = { network, asset, payees, priceUsdc: tier.priceUsdc, maxUsdc };
  const terms = agreedTerms(quote.data.accepts, agreed);
  return terms ? { body, quote: quote.data, terms } : { fail: { code: 'V1_PAYMENT_TERMS_UNFIT' } };
}

const registering = (request: PurchaseRequest, { index }: Tier) => ({
  minerSlug: request.miner_slug,
  exAddress: request.ex_address,
  accountSize: request.account_size,
  email: request.email,
  tierIndex: index,
  ...(request.payout_address !== null && { payoutAddress: request.payout_address }),
});

async function sign(intent: Purchase, deps: PaymentDeps, quoted: Quoted): Promise<Prepared<PurchasePayload>> {
  const { body, quote, terms } = quoted;
  const { registrar, config } = deps;
  const head = await registrar.head();
  if (head.kind !== 'found') return unreachableYet; // without the head block the payment could not be found later
  const payer = await openPayer(deps, intent.id);
  if (!payer) throw new Error('A purchase lost its key before it was sent');
  const balance = await registrar.balanceOf(payer.address);
  if (balance.kind !== 'found') return unreachableYet;
  if (BigInt(balance.data) < BigInt(terms.amount))
    return { fail: { code: 'V1_PAYMENT_REFUSED', reason: 'insufficient_funds' } };
  const nowMs = epochMs();
  const validBeforeS = validBefore(nowMs, terms, config.REGISTRATION_VALID_S);
  const signed = await payer.authorize(quote, terms, { nonce: nonceOf(intent.id), validBeforeS });
  const wallet = await walletOf(intent, payer, deps);
  return { send: { ...signed, body, proofs: await proofsOf(wallet, body, nowMs), since_block: head.data.block } };
}

/**
 * The key of the wallet: the payer's key, or one that this owner enrolled. Null if the enrolled key is an agent's,
 * which cannot prove the wallet.
 */
async function walletOf(
  { owner, request: { ex_address: wallet } }: Purchase,
  payer: Payer,
  { db, sealer, registrar }: PaymentDeps,
): Promise<Payer | null> {
  if (payer.address === wallet) return payer;
  const key = await findLiveKey(db, owner, wallet);
  if (key?.signer !== wallet || !key.sealed) return null;
  return registrar.payerOf(sealer.open(key.sealed, keySealContext(key.id)).toString('hex'));
}

const proofsOf = async (wallet: Payer | null, body: string, nowMs: number): Promise<WalletProof[]> =>
  wallet ? Promise.all(Array.from({ length: POSTS }, (_, n) => wallet.prove(body, nowMs + n))) : [];
