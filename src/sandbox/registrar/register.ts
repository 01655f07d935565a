import { setTimeout as wait } from 'node:timers/promises';
import type { Call, Route, Said } from '../party.ts';
import { faultOf, type PayChain, type Payment } from './chain.ts';
import { judgeProof } from './proof.ts';
import { type SoldTier, strikes, type World } from './world.ts';

type Asked = { exAddress: string; accountSize: number; email: string; tier: SoldTier };

const refused = (status: number, error: string, more: object = {}): Said => ({ status, body: { error, ...more } });
const dropped: Said = { status: 0, body: null, dropped: true };
const UNITS = 1_000_000;

/** The registrar's one route that takes payments. Venue facts: purchase, register error statuses. */
export const registerRoute = (world: World): Route => ({
  method: 'POST',
  path: '/api/register',
  refusal: () => refused(403, 'Registrations are full', { code: 'REGISTRATION_PAID_CAP' }),
  answer: async (call) => {
    const asked = readAsked(world, call.json);
    if ('status' in asked) return asked;
    const duplicate = judgeDuplicate(world, asked.exAddress);
    if (duplicate) return duplicate;
    const header = call.headers['payment-signature'];
    if (header === undefined) return quote(world, asked);
    return (world.wantsProof && (await judgeProof(world, call, asked.exAddress))) || pay(world, call, asked);
  },
});

function readAsked({ minerSlug, tiers }: World, json: unknown): Asked | Said {
  const said = Object(json) as Record<string, unknown>; // as: every member is checked
  const exAddress = String(said.hlAddress ?? '').toLowerCase();
  const tier = tiers[Number(said.tierIndex)];
  if (said.minerSlug !== minerSlug) return refused(400, 'Unknown miner');
  if (!/^0x[0-9a-f]{40}$/.test(exAddress)) return refused(400, 'Invalid HL address');
  if (!tier) return refused(400, 'Invalid tier');
  if (said.accountSize !== tier.accountSize) return refused(400, 'Account size does not match selected tier');
  return { exAddress, accountSize: tier.accountSize, email: String(said.email ?? ''), tier };
}

function judgeDuplicate({ rows }: World, exAddress: string): Said | null {
  const row = rows.get(exAddress);
  if (!row) return null;
  return row.registered
    ? refused(409, 'This HL address is already registered with this miner.')
    : refused(409, 'A registration for this HL address is already being processed. Please wait for it to complete.');
}

const requirements = ({ chain: { token }, payTo }: World, { tier }: Asked) => ({
  scheme: 'exact',
  network: `eip155:${token.chainId}`,
  asset: token.verifyingContract,
  amount: String(Number(tier.priceUsdc) * UNITS),
  payTo,
  maxTimeoutSeconds: 300,
  extra: { name: token.name, version: token.version },
});

function quote(world: World, asked: Asked, error?: string): Said {
  const resource = { url: 'http://127.0.0.1/api/register', method: 'POST' };
  const body = { x402Version: 2, accepts: [requirements(world, asked)], resource, ...(error && { error }) };
  const header = Buffer.from(JSON.stringify(body)).toString('base64');
  return { status: 402, body, headers: { 'PAYMENT-REQUIRED': header } };
}

/** Verify, settle, record, have the account made, answer: in this order, and each can go wrong. */
async function pay(world: World, call: Call, asked: Asked): Promise<Said> {
  const payment = readPayment(call.headers['payment-signature']);
  if (!payment) return refused(400, 'Invalid payment signature');
  const unverified = await verify(world, asked, payment);
  if (unverified) return unverified;
  const settled = await settle(world, asked, payment);
  if ('status' in settled) return settled;
  const { txHash } = settled;
  const unrecorded = strikes(world, 'record', asked.email);
  if (unrecorded?.kind === 'reset') return dropped;
  if (unrecorded) return refused(500, 'Registration could not be saved', { txHash });
  const registered = record(world, asked, txHash);
  if (strikes(world, 'answer', asked.email)) return dropped;
  const status = registered ? 'registered' : 'pending';
  return {
    status: 200,
    body: { status, message: `Registration ${status}.`, txHash },
    headers: receipt(world.chain, txHash),
  };
}

async function verify(world: World, asked: Asked, payment: Payment): Promise<Said | null> {
  const fault = strikes(world, 'verify', asked.email);
  if (fault?.kind === 'reset') return dropped;
  if (fault?.kind === 'status_500') return refused(502, 'Payment verification failed: facilitator unreachable');
  const { amount, payTo } = requirements(world, asked);
  const isFor = payment.to.toLowerCase() === payTo.toLowerCase() && String(payment.value) === amount;
  const reason = fault
    ? 'insufficient_funds'
    : isFor
      ? await faultOf(world.chain, payment)
      : 'invalid_payment_requirements';
  return reason ? quote(world, asked, reason) : null;
}

async function settle(world: World, { email }: Asked, payment: Payment): Promise<{ txHash: string } | Said> {
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

function record(world: World, { exAddress, accountSize, email }: Asked, txHash: string): boolean {
  const registered = strikes(world, 'miner', email)?.kind !== 'refuse';
  world.rows.set(exAddress, { exAddress, accountSize, txHash, registered, writtenMs: Date.now() });
  world.ledger.record({ key: exAddress, kind: 'registration', detail: { tx_hash: txHash, account_size: accountSize } });
  return registered;
}

const receipt = ({ token }: PayChain, transaction: string) => ({
  'PAYMENT-RESPONSE': Buffer.from(
    JSON.stringify({ success: true, transaction, network: `eip155:${token.chainId}` }),
  ).toString('base64'),
});

/** The exact scheme's payload (x402 v2, section 5.2); null for anything else. */
function readPayment(header: string | string[] | undefined): Payment | null {
  try {
    const { payload } = JSON.parse(Buffer.from(String(header), 'base64').toString());
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
    const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
    return { from, to, nonce, signature: payload.signature, value: BigInt(value), ...times };
  } catch {
    return null;
  }
}
