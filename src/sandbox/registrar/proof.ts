import { createHash } from 'node:crypto';
import { verifyMessage } from 'viem';
import type { Call, Reported } from '../upstream.ts';
import type { World } from './world.ts';

const MAX_AGE_MS = 5 * 60_000;

/**
 * Rejects a paid request without a valid proof of wallet ownership. Null if valid. See venues/registrar.md#ownership-of-the-wallet.
 */
export async function judgeProof(world: World, { headers, text }: Call, exAddress: string): Promise<Reported | null> {
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

const rejected = (status: number, error: string): Reported => ({ status, body: { error } });
