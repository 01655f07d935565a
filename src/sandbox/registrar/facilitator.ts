import { setTimeout as wait } from 'node:timers/promises';
import type { Reported } from '../upstream.ts';
import { faultOf, type PayChain, type Payment } from './chain.ts';
import { type SoldTier, strikes, type World } from './world.ts';

/** A registration request, parsed. */
export type Requested = { exAddress: string; accountSize: number; email: string; tier: SoldTier };

/** An error response of the registrar. */
export const rejected = (status: number, error: string, more: object = {}): Reported => ({
  status,
  body: { error, ...more },
});

/** No response: the connection is closed. */
export const dropped: Reported = { status: 0, body: null, dropped: true };

const UNITS = 1_000_000;

const requirements = ({ chain: { token }, payTo }: World, { tier }: Requested) => ({
  scheme: 'exact',
  network: `eip155:${token.chainId}`,
  asset: token.verifyingContract,
  amount: String(Number(tier.priceUsdc) * UNITS),
  payTo,
  maxTimeoutSeconds: 300,
  extra: { name: token.name, version: token.version },
});

/** The price of the registration, as a 402. `error` is the reason if a payment was rejected. */
export function quote(world: World, requested: Requested, error?: string): Reported {
  const resource = { url: 'http://127.0.0.1/api/register', method: 'POST' };
  const body = { x402Version: 2, accepts: [requirements(world, requested)], resource, ...(error && { error }) };
  const header = Buffer.from(JSON.stringify(body)).toString('base64');
  return { status: 402, body, headers: { 'PAYMENT-REQUIRED': header } };
}

/** Checks whether a payment would be settled. Returns the rejection, or null. */
export async function verify(world: World, requested: Requested, payment: Payment): Promise<Reported | null> {
  const fault = strikes(world, 'verify', requested.email);
  if (fault?.kind === 'reset') return dropped;
  if (fault?.kind === 'status_500') return rejected(502, 'Payment verification failed: facilitator unreachable');
  if (fault?.kind === 'late') await wait(fault.delayMs ?? 1_000);
  const { amount, payTo } = requirements(world, requested);
  const isFor = payment.to.toLowerCase() === payTo.toLowerCase() && String(payment.value) === amount;
  if (fault?.kind === 'reject') return quote(world, requested, 'insufficient_funds');
  const reason = isFor ? await faultOf(world.chain, payment) : 'invalid_payment_requirements';
  return reason ? quote(world, requested, reason) : null;
}

/** Settles a verified payment on chain. */
export async function settle(
  world: World,
  { email }: Requested,
  payment: Payment,
): Promise<{ txHash: string } | Reported> {
  const fault = strikes(world, 'settle', email);
  if (fault?.kind === 'reset') return dropped;
  if (fault?.kind === 'status_500') return rejected(500, 'Payment settlement failed');
  if (fault?.kind === 'late') {
    void wait(fault.delayMs ?? 1_000).then(() => world.chain.settle(payment));
    return rejected(500, 'Payment settlement was not successful', { message: 'settlement_pending' });
  }
  const settled = await world.chain.settle(payment);
  if (fault?.kind === 'accept_then_drop') return dropped;
  return 'rejected' in settled
    ? rejected(500, 'Payment settlement was not successful', { message: settled.rejected })
    : settled;
}

/** The receipt header of a settled payment (x402 v2, section 5.3). */
export const receipt = ({ token }: PayChain, transaction: string) => ({
  'PAYMENT-RESPONSE': Buffer.from(
    JSON.stringify({ success: true, transaction, network: `eip155:${token.chainId}` }),
  ).toString('base64'),
});

/** Reads the payload of the `exact` scheme (x402 v2, section 5.2). Null for any other value. */
export function readPayment(header: string | string[] | undefined): Payment | null {
  try {
    const { payload } = JSON.parse(Buffer.from(String(header), 'base64').toString());
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
    const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
    return { from, to, nonce, signature: payload.signature, value: BigInt(value), ...times };
  } catch {
    return null;
  }
}
