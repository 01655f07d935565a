import { createHash } from 'node:crypto';
import { verifyMessage } from 'viem';
import type { Call, Reported, Route } from '../upstream.ts';
import { dropped, quote, type Requested, readPayment, receipt, rejected, settle, verify } from './facilitator.ts';
import { strikes, type World } from './world.ts';

/** The registrar's only route that accepts payments. See venues/registrar.md#error-statuses. */
export const registerRoute = (world: World): Route => ({
  method: 'POST',
  path: '/api/register',
  rejection: () => rejected(403, 'Registrations are full', { code: 'REGISTRATION_PAID_CAP' }),
  response: async (call) => {
    const requested = parseRequest(world, call.json);
    if ('status' in requested) return requested;
    const duplicate = judgeDuplicate(world, requested.exAddress);
    if (duplicate) return duplicate;
    const header = call.headers['payment-signature'];
    if (header === undefined) return quote(world, requested);
    return (world.wantsProof && (await judgeProof(world, call, requested.exAddress))) || pay(world, call, requested);
  },
});

function parseRequest({ minerSlug, tiers }: World, json: unknown): Requested | Reported {
  const data = Object(json) as Record<string, unknown>; // as: every member is checked
  const exAddress = String(data.hlAddress ?? '').toLowerCase();
  const tier = tiers[Number(data.tierIndex)];
  if (data.minerSlug !== minerSlug) return rejected(400, 'Unknown miner');
  if (!/^0x[0-9a-f]{40}$/.test(exAddress)) return rejected(400, 'Invalid HL address');
  if (!tier) return rejected(400, 'Invalid tier');
  if (data.accountSize !== tier.accountSize) return rejected(400, 'Account size does not match selected tier');
  return { exAddress, accountSize: tier.accountSize, email: String(data.email ?? ''), tier };
}

function judgeDuplicate({ rows }: World, exAddress: string): Reported | null {
  const row = rows.get(exAddress);
  if (!row) return null;
  return row.registered
    ? taken
    : rejected(409, 'A registration for this HL address is already being processed. Please wait for it to complete.');
}

const taken = rejected(409, 'This HL address is already registered with this miner.');

/** Verifies, settles, records, has the account created and responds, in this order. Each step can fail. */
async function pay(world: World, call: Call, requested: Requested): Promise<Reported> {
  const payment = readPayment(call.headers['payment-signature']);
  if (!payment) return rejected(400, 'Invalid payment signature');
  const unverified = await verify(world, requested, payment);
  if (unverified) return unverified;
  const settled = await settle(world, requested, payment);
  if ('status' in settled) return settled;
  const { txHash } = settled;
  if (/^(active|pending)$/.test(world.earlier.get(requested.exAddress) ?? '')) return taken; // the payment is kept
  const unrecorded = strikes(world, 'record', requested.email);
  if (unrecorded?.kind === 'reset') return dropped;
  if (unrecorded) return rejected(500, 'Registration could not be saved', { txHash });
  const registered = record(world, requested, txHash);
  if (strikes(world, 'response', requested.email)) return dropped;
  const status = registered ? 'registered' : 'pending';
  return {
    status: 200,
    body: { status, message: `Registration ${status}.`, txHash },
    headers: receipt(world.chain, txHash),
  };
}

function record(world: World, { exAddress, accountSize, email }: Requested, txHash: string): boolean {
  const registered = strikes(world, 'miner', email)?.kind !== 'reject';
  world.rows.set(exAddress, { exAddress, accountSize, txHash, registered, writtenMs: Date.now() });
  world.ledger.record({ key: exAddress, kind: 'registration', detail: { tx_hash: txHash, account_size: accountSize } });
  if (registered) world.create({ exAddress, accountSize });
  return registered;
}

const MAX_AGE_MS = 5 * 60_000;

/**
 * Rejects a paid request without a valid proof of wallet ownership. Null if valid. See venues/registrar.md#ownership-of-the-wallet.
 */
async function judgeProof(world: World, { headers, text }: Call, exAddress: string): Promise<Reported | null> {
  const [wallet, signature, nonce] = ['x-wallet', 'x-signature', 'x-nonce'].map((name) => String(headers[name] ?? ''));
  if (!wallet || !signature || !nonce) return rejected(401, 'Missing authentication headers');
  if (!(Math.abs(Date.now() - Number(nonce)) <= MAX_AGE_MS)) return rejected(401, 'Nonce expired or invalid');
  const message = `/api/register:${nonce}:${createHash('sha256').update(text).digest('hex')}`;
  const signed = { message, address: wallet as `0x${string}`, signature: signature as `0x${string}` }; // as: other texts fail
  if (!(await verifyMessage(signed).catch(() => false))) return rejected(401, 'Invalid signature');
  if (wallet.toLowerCase() !== exAddress) return rejected(403, 'Signer does not match hlAddress');
  const name = `${exAddress}:${nonce}`;
  if (world.proofs.has(name)) return rejected(401, 'Nonce already used');
  world.proofs.add(name);
  return null;
}
