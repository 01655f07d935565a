import type { Exvenue } from '../adapters/exchange/types.ts';
import type { Db } from '../db/pool.ts';
import type { WalletAddress } from '../kernel/ids.ts';
import { listUnverifiedKeys } from './queries.ts';
import { noteVerified, revokeEnrollment, wipeRetiredKeys } from './store.ts';

/** What the check of unverified keys needs. */
export type VerifyDeps = { db: Db; exvenue: Exvenue; log: { warn(fields: object, message: string): void } };

const AT_ONCE = 20; // each read costs the venue's request budget

/**
 * Checks keys that were enrolled while the exchange could not be read: confirms them, or revokes their enrollment.
 * Wipes retired keys that signed no open intent.
 */
export async function verifyKeys({ db, exvenue, log }: VerifyDeps): Promise<void> {
  await wipeRetiredKeys(db);
  for (const { id, owner, ex_wallet, signer } of await listUnverifiedKeys(db, AT_ONCE)) {
    const check = await checkSigner(exvenue, ex_wallet, signer);
    if (check === 'confirmed') await noteVerified(db, id);
    if (check === 'rejected') {
      await revokeEnrollment(db, owner, ex_wallet);
      log.warn({ owner, ex_wallet, signer }, 'the exchange does not list this key; its enrollment is revoked');
    }
  }
}

/**
 * Whether a key may sign for a wallet: the wallet's key may, and so may an agent that the exchange lists for it.
 * `unknown` if the exchange cannot be read.
 */
export async function checkSigner(
  exvenue: Exvenue,
  exWallet: WalletAddress,
  signer: string,
): Promise<'confirmed' | 'rejected' | 'unknown'> {
  if (signer === exWallet) return 'confirmed';
  const agents = await exvenue.agents(exWallet);
  if (agents.kind === 'unreadable') return 'unknown';
  const agent = agents.kind === 'found' && agents.data.find(({ address }) => address === signer);
  const isValid = agent && (agent.validUntilMs === null || agent.validUntilMs > Date.now());
  return isValid ? 'confirmed' : 'rejected';
}
