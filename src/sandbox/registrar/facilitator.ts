import { setTimeout as wait } from 'node:timers/promises';
import type { Said } from '../party.ts';
import { faultOf, type PayChain, type Payment } from './chain.ts';
import { type SoldTier, strikes, type World } from './world.ts';

/** What a request registers, once it has been read. */
export type Asked = { exAddress: string; accountSize: number; email: string; tier: SoldTier };

/** A refusal of the registrar. */
export const refused = (status: number, error: string, more: object = {}): Said => ({
  status,
  body: { error, ...more },
});

/** No answer at all. */
export const dropped: Said = { status: 0, body: null, dropped: true };

const UNITS = 1_000_000;

const requirements = ({ chain: { token }, payTo }: World, { tier }: Asked) => ({
  scheme: 'exact',
  network: `eip155:${token.chainId}`,
  asset: token.verifyingContract,
  amount: String(Number(tier.priceUsdc) * UNITS),
  payTo,
  maxTimeoutSeconds: 300,
  extra: { name: token.name, version: token.version },
});

/** What the registration costs, as a 402; with the reason where a payment was refused. */
export function quote(world: World, asked: Asked, error?: string): Said {
  const resource = { url: 'http://127.0.0.1/api/register', method: 'POST' };
  const body = { x402Version: 2, accepts: [requirements(world, asked)], resource, ...(error && { error }) };
  const header = Buffer.from(JSON.stringify(body)).toString('base64');
  return { status: 402, body, headers: { 'PAYMENT-REQUIRED': header } };
}

/** Whether a payment would be settled: a refusal says why not. */
export async function verify(world: World, asked: Asked, payment: Payment): Promise<Said | null> {
  const fault = strikes(world, 'verify', asked.email);
  if (fault?.kind === 'reset') return dropped;
  if (fault?.kind === 'status_500') return refused(502, 'Payment verification failed: facilitator unreachable');
  if (fault?.kind === 'late') await wait(fault.delayMs ?? 1_000);
  const { amount, payTo } = requirements(world, asked);
  const isFor = payment.to.toLowerCase() === payTo.toLowerCase() && String(payment.value) === amount;
  if (fault?.kind === 'refuse') return quote(world, asked, 'insufficient_funds');
  const reason = isFor ? await faultOf(world.chain, payment) : 'invalid_payment_requirements';
  return reason ? quote(world, asked, reason) : null;
}

/** Has a verified payment settled on chain. */
export async function settle(world: World, { email }: Asked, payment: Payment): Promise<{ txHash: string } | Said> {
  const fault = strikes(world, 'settle', email);
  if (fault?.kind === 'reset') return dropped;
  if (fault?.kind === 'status_500') return refused(500, 'Payment settlement failed');
  if (fault?.kind === 'late') {
    void wait(fault.delayMs ?? 1_000).then(() => world.chain.settle(payment));
    return refused(500, 'Payment settlement was not successful', { message: 'settlement_pending' });
  }
  const settled = await world.chain.settle(payment);
  if (fault?.kind === 'accept_then_drop') return dropped;
  return 'refused' in settled
    ? refused(500, 'Payment settlement was not successful', { message: settled.refused })
    : settled;
}

/** The receipt that goes with a settled payment (x402 v2, section 5.3). */
export const receipt = ({ token }: PayChain, transaction: string) => ({
  'PAYMENT-RESPONSE': Buffer.from(
    JSON.stringify({ success: true, transaction, network: `eip155:${token.chainId}` }),
  ).toString('base64'),
});

/** The exact scheme's payload (x402 v2, section 5.2); null for anything else. */
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
