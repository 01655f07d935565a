import { timingSafeEqual } from 'node:crypto';
import { recoverMessageAddress } from 'viem/utils';
import type { OwnerId, WalletAddress } from './ids.ts';
import type { SealContext, Sealer } from './seal.ts';
import { epochMs } from './work.ts';

/** Who must prove control of which wallet (in lower case), until when. */
export type Challenge = { owner: OwnerId; wallet: WalletAddress; expiresAt: Date };

/**
 * The text that a wallet's holder signs. Its code is an HMAC under the keyring over all its other lines, so nobody else
 * can make a challenge, and none is stored. A proof may be repeated until it expires.
 */
export function challengeMessage({ owner, wallet, expiresAt }: Challenge, sealer: Sealer): string {
  const text = linesOf({ owner, wallet, expiresAt });
  return withCode(text, sealer.hmacs(text, CONTEXT)[0]);
}

const withCode = (text: string, hmac: Buffer) => `${text}\nCode: ${hmac.toString('hex')}`;

/**
 * Whether a signature (EIP-191, personal_sign) proves that the holder of `wallet` has signed a challenge of `owner` that
 * has not expired.
 */
export async function provesWallet(
  proof: { message: string; signature: string },
  { owner, wallet }: Omit<Challenge, 'expiresAt'>,
  sealer: Sealer,
): Promise<boolean> {
  const expiresAt = new Date(String(/Expires at: (\S+)/.exec(proof.message)?.[1])); // wherever: the whole text is compared
  if (Number.isNaN(expiresAt.getTime()) || expiresAt.getTime() <= epochMs()) return false;
  if (!isOurs(proof.message, linesOf({ owner, wallet, expiresAt }), sealer)) return false;
  return (await signerOf(proof)) === wallet;
}

const CONTEXT: SealContext = { table: 'subaccounts', row: 'challenge', column: 'link_proof' };

const linesOf = ({ owner, wallet, expiresAt }: Challenge) =>
  [
    'Link this wallet to a trading account.',
    'Signing costs nothing and moves nothing.',
    `Wallet: ${wallet}`,
    `Partner: ${owner}`,
    `Expires at: ${expiresAt.toISOString()}`,
  ].join('\n');

function isOurs(message: string, text: string, sealer: Sealer): boolean {
  const given = Buffer.from(message);
  return sealer.hmacs(text, CONTEXT).some((hmac) => {
    const ours = Buffer.from(withCode(text, hmac));
    return ours.length === given.length && timingSafeEqual(ours, given);
  });
}

async function signerOf({ message, signature }: { message: string; signature: string }): Promise<string | null> {
  try {
    const signer = await recoverMessageAddress({ message, signature: signature as `0x${string}` }); // as: the contract checked its form
    return signer.toLowerCase();
  } catch {
    return null; // no signature of any key
  }
}
