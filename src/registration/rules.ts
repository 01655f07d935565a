import type { components } from '../contract/types.ts';
import { compare, isDecimal, plus, times } from '../kernel/decimals.ts';
import { digest } from '../kernel/digest.ts';

export type Status = components['schemas']['RegistrationStatus']['status'];

/** What a wallet must have on the exchange before a registration is paid for, in USD. Venue facts: BalanceStatus. */
const MINIMUM_BALANCE = '0.01';

const UNITS_PER_USDC = '1000000'; // 6 decimals

/** The nonce of a purchase's authorization: 32 bytes made from its intent, so that whoever signs for it pays once. */
export const nonceOf = (intentId: string): string => `0x${digest(`registration/purchase:${intentId}`).toString('hex')}`;

/** Account value over all dexes, free dollars and other free tokens at their prices: what the exchange holds for a wallet, in USD. */
export function exchangeBalance(
  accounts: readonly { accountValue: string }[],
  spot: readonly { coin: string; free: string }[],
  prices: Readonly<Record<string, string>>,
): string {
  const values = spot.map(({ coin, free }) => times(free, coin === 'USDC' ? '1' : (prices[coin] ?? '0')));
  return [...accounts.map(({ accountValue }) => accountValue), ...values].reduce(plus, '0');
}

/** Whether a wallet may register at all. */
export const meetsMinimum = (balance: string): boolean => compare(balance, MINIMUM_BALANCE) >= 0;

type Terms = {
  scheme: string;
  network: string;
  asset: string;
  amount: string;
  maxTimeoutSeconds: number;
};

/** What was agreed: the chain, the token, the catalogue's price and the most this service lets anyone pay, in USDC. */
export type Agreed = { network: string; asset: string; priceUsdc: string; maxUsdc: number };

/**
 * The offered way to pay that is what was agreed, or null: the exact scheme, this chain and token, an amount above zero and not
 * over the catalogue's price nor our limit, and time enough to be settled.
 */
export const agreedTerms = <T extends Terms>(accepts: readonly T[], agreed: Agreed): T | null =>
  accepts.find((terms) => {
    const { scheme, network, asset, amount, maxTimeoutSeconds } = terms;
    const isOurs = scheme === 'exact' && network === agreed.network && asset.toLowerCase() === agreed.asset;
    return isOurs && fitsPrice(amount, agreed) && maxTimeoutSeconds >= LEAST_TIME_S;
  }) ?? null;

const LEAST_TIME_S = 30; // verifying, settling and a block on any chain

function fitsPrice(units: string, { priceUsdc, maxUsdc }: Agreed): boolean {
  if (!isDecimal(priceUsdc) || compare(units, '0') <= 0) return false;
  return compare(units, unitsOf(priceUsdc)) <= 0 && compare(units, unitsOf(String(maxUsdc))) <= 0;
}

const unitsOf = (usdc: string) => times(usdc, UNITS_PER_USDC);

/** Whether an authorization can no longer be used on a chain whose clock shows `atS`; the margin covers a reorganisation. */
export const isOver = (validBefore: string, atS: number, marginS: number): boolean =>
  atS > Number(validBefore) + marginS;

const SUCCESSES: readonly Status[] = ['registered', 'active'];
const TERMINALS: readonly Status[] = [...SUCCESSES, 'failed', 'eliminated', 'deregistered'];

/** Whether nothing more will happen to a registration of this status. */
export const isTerminal = (status: Status): boolean => TERMINALS.includes(status);

/** Whether the account stands. */
export const isSuccess = (status: Status): boolean => SUCCESSES.includes(status);

/** The registrar's word as a status of ours; a word nobody knows is still being worked on. */
export const statusOf = (word: string): Exclude<Status, 'not_found'> =>
  KNOWN.find((status) => status === word) ?? 'processing';

const KNOWN = ['pending', 'processing', 'registered', 'active', 'failed', 'eliminated', 'deregistered'] as const;

const SLOWEST_LOOK_MS = 15 * 60_000; // the registrar itself tries again every 15 minutes
const GROWTH = 1.25;

/** When to ask the registrar again after so many looks, in milliseconds. */
export const nextPollMs = (firstMs: number, polls: number): number =>
  Math.round(Math.min(firstMs * GROWTH ** Math.min(polls, 100), SLOWEST_LOOK_MS));

/** What a caller is told of a registration that is under way or got stuck. */
export const notes = {
  unrecorded: 'The payment settled, but the registrar has not recorded the registration yet; its status is asked for.',
  pending: 'The payment settled; the miner has not made the account yet and is asked again by the registrar.',
  abandoned: 'The payment settled, but the registrar never recorded the registration. Ask it with the tx_hash.',
  late: 'The payment settled although it had been refused. The registration is being looked up.',
  no_answer: 'The payment was sent and not answered; the chain is being asked whether it settled.',
  facilitator_down:
    "The registrar's payment facilitator is down; the chain is being asked whether the payment settled.",
  settlement_unclear: 'The registrar could not tell whether the payment settled; the chain is being asked.',
} as const;

/** What a caller is told while a payment is in doubt for this reason. */
export const noteOf = (why: string): string =>
  why === 'facilitator_down' || why === 'settlement_unclear' ? notes[why] : notes.no_answer;
