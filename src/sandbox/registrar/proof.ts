import { createHash } from 'node:crypto';
import { verifyMessage } from 'viem';
import type { Call, Said } from '../party.ts';
import type { World } from './world.ts';

const MAX_AGE_MS = 5 * 60_000;

/** Refuses a paid request that does not prove its wallet. Venue facts: wallet-ownership headers. */
export async function judgeProof(world: World, { headers, text }: Call, exAddress: string): Promise<Said | null> {
  const [wallet, signature, nonce] = ['x-wallet', 'x-signature', 'x-nonce'].map((name) => String(headers[name] ?? ''));
  if (!wallet || !signature || !nonce) return refused(401, 'Missing authentication headers');
  if (!(Math.abs(Date.now() - Number(nonce)) <= MAX_AGE_MS)) return refused(401, 'Nonce expired or invalid');
  const message = `/api/register:${nonce}:${createHash('sha256').update(text).digest('hex')}`;
  const signed = { message, address: wallet as `0x${string}`, signature: signature as `0x${string}` }; // as: anything else is refused
  if (!(await verifyMessage(signed).catch(() => false))) return refused(401, 'Invalid signature');
  if (wallet.toLowerCase() !== exAddress) return refused(403, 'Signer does not match hlAddress');
  const name = `${exAddress}:${nonce}`;
  if (world.proofs.has(name)) return refused(401, 'Nonce already used');
  world.proofs.add(name);
  return null;
}

const refused = (status: number, error: string): Said => ({ status, body: { error } });
