import type { components } from '../../contract/types.ts';
import { compare, isDecimal, times } from '../../kernel/decimals.ts';
import { digest, type IntentId } from '../../kernel/ids.ts';

/** The status of a registration, as the contract defines it. */
export type Status = components['schemas']['RegistrationStatus']['status'];

/** The smallest exchange balance in USD with which a registration is paid for. Source: the venue's BalanceStatus. */
const MINIMUM_BALANCE = '0.01';

const UNITS_PER_USDC = '1000000'; // 6 decimals

/**
 * The nonce of a purchase's authorization: 32 bytes derived from its intent id, so that every authorization of one
 * purchase pays at most once.
 */
export const nonceOf = (intentId: IntentId): string =>
  `0x${digest(`registration/purchase:${intentId}`).toString('hex')}`;

/** Whether a balance in USD allows a registration. */
export const meetsMinimum = (balance: string): boolean => compare(balance, MINIMUM_BALANCE) >= 0;

type Terms = {
  scheme: string;
  network: string;
  asset: string;
  payTo: string;
  amount: string;
  maxTimeoutSeconds: number;
};

/**
 * The terms we accept: chain, token, payees (lower case; null: anyone), the catalogue's price, and the most that this
 * service pays, in USDC.
 */
export type Agreed = {
  network: string;
  asset: string;
  payees: readonly string[] | null;
  priceUsdc: string;
  maxUsdc: number;
};

/**
 * The first payment option of the registrar that we accept, or null. It must have the exact scheme, our chain and
 * token, a payee of ours, an amount above zero and not above the catalogue's price or our limit, and enough time to
 * settle.
 */
export const agreedTerms = <T extends Terms>(accepts: readonly T[], agreed: Agreed): T | null =>
  accepts.find((terms) => {
    const { scheme, network, asset, payTo, amount, maxTimeoutSeconds } = terms;
    const isOurs = scheme === 'exact' && network === agreed.network && asset.toLowerCase() === agreed.asset;
    const isPayee = agreed.payees === null || agreed.payees.includes(payTo.toLowerCase());
    return isOurs && isPayee && fitsPrice(amount, agreed) && maxTimeoutSeconds >= LEAST_TIME_S;
  }) ?? null;

const LEAST_TIME_S = 30; // enough to verify, settle and reach a block on any chain

/** Until when a payment signed now is valid (epoch seconds): as long as the terms say, and `mostS` at most. Terms may name a fraction. */
export const validBefore = (nowMs: number, { maxTimeoutSeconds }: Pick<Terms, 'maxTimeoutSeconds'>, mostS: number) =>
  Math.floor(nowMs / 1000 + Math.min(maxTimeoutSeconds, mostS));

function fitsPrice(units: string, { priceUsdc, maxUsdc }: Agreed): boolean {
  if (!isDecimal(priceUsdc) || compare(units, '0') <= 0) return false;
  return compare(units, unitsOf(priceUsdc)) <= 0 && compare(units, unitsOf(String(maxUsdc))) <= 0;
}

const unitsOf = (usdc: string) => times(usdc, UNITS_PER_USDC);

/**
 * Whether an authorization can no longer be used on a chain whose clock shows `atS`. The margin covers a
 * reorganisation.
 */
export const isOver = (validBefore: string, atS: number, marginS: number): boolean =>
  atS > Number(validBefore) + marginS;

const SUCCESSES: readonly Status[] = ['registered', 'active'];
const ENDS = ['failed', 'eliminated', 'deregistered'] as const;
const TERMINALS: readonly Status[] = [...SUCCESSES, ...ENDS];

/** Whether a status is final. */
export const isTerminal = (status: Status): boolean => TERMINALS.includes(status);

/**
 * Whether a status means that an account has ended. The registrar reports the account that an address has at the network:
 * until it is the new one, that is an earlier one, after whose end the address may register again.
 */
export const isEnd = (status: Status): status is (typeof ENDS)[number] => ENDS.some((end) => end === status);

/** Whether a status means that the account exists. */
export const isSuccess = (status: Status): boolean => SUCCESSES.includes(status);

/**
 * The registrar's status as one of ours. An account that is `inactive` is no longer registered. An unknown status counts
 * as `processing`.
 */
export const statusOf = (reported: string): Exclude<Status, 'not_found'> =>
  reported === 'inactive' ? 'deregistered' : (KNOWN.find((status) => status === reported) ?? 'processing');

const KNOWN = ['pending', 'processing', 'registered', 'active', 'failed', 'eliminated', 'deregistered'] as const;

const SLOWEST_RECONCILE_MS = 15 * 60_000; // the registrar itself retries every 15 minutes
const GROWTH = 1.25;

/** Milliseconds until the next poll of the registrar after `polls` polls. */
export const nextPollMs = (firstMs: number, polls: number): number =>
  Math.round(Math.min(firstMs * GROWTH ** Math.min(polls, 100), SLOWEST_RECONCILE_MS));

/** Messages to the caller about a registration that is open or stuck. */
export const notes = {
  unrecorded:
    'The payment settled, but the registrar has not recorded the registration yet; its status is being checked.',
  pending: 'The payment settled; the miner has not created the account yet; the registrar retries.',
  abandoned:
    'The payment settled, but the registrar never recorded the registration. Contact the registrar with the tx_hash.',
  late: 'The payment settled although it had been rejected. The registration is being reconciled.',
  no_response: 'The payment was sent without a response; the chain is being checked for its settlement.',
  facilitator_down: "The registrar's payment facilitator is down; the chain is being checked for its settlement.",
  settlement_unclear: 'The registrar did not report whether the payment settled; the chain is being checked.',
  not_shown: 'The registrar reports the payment; the chain is being checked for its settlement.',
} as const;

/** The message to the caller while a payment is in doubt for this reason. */
export const noteOf = (why: string): string =>
  why === 'facilitator_down' || why === 'settlement_unclear' || why === 'not_shown' ? notes[why] : notes.no_response;
