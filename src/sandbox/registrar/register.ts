import type { Call, Route, Said } from '../party.ts';
import { type Asked, dropped, quote, readPayment, receipt, refused, settle, verify } from './facilitator.ts';
import { judgeProof } from './proof.ts';
import { strikes, type World } from './world.ts';

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

function record(world: World, { exAddress, accountSize, email }: Asked, txHash: string): boolean {
  const registered = strikes(world, 'miner', email)?.kind !== 'refuse';
  world.rows.set(exAddress, { exAddress, accountSize, txHash, registered, writtenMs: Date.now() });
  world.ledger.record({ key: exAddress, kind: 'registration', detail: { tx_hash: txHash, account_size: accountSize } });
  return registered;
}
