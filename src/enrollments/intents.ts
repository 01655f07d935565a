import type { Exvenue } from '../adapters/exvenue/types.ts';
import type { components } from '../contract/types.ts';
import type { Db } from '../db/pool.ts';
import { newIntentId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Sealer } from '../kernel/seal.ts';
import { saveKey } from './outcomes.ts';
import { keyPlace } from './queries.ts';

type Request = components['schemas']['SessionEnrollRequest'];
type Needs = { db: Db; exvenue: Exvenue; sealer: Sealer };

/**
 * Enrolls a wallet's key, sealed. Refuses a key that is neither the wallet's own nor an agent the exchange knows for it, and an
 * agent that was retired. An exchange that cannot be asked leaves the key unverified, to be checked later.
 */
export async function enrollKey({ db, exvenue, sealer }: Needs, owner: string, request: Request): Promise<void> {
  const exWallet = request.ex_wallet.toLowerCase();
  const signer = exvenue.signerOf(request.private_key);
  if (!signer) throw new Refusal('V1_KEY_UNUSABLE');
  const standing = await standingOf(exvenue, exWallet, signer.address);
  if (standing === 'refused') throw new Refusal('V1_KEY_NOT_AUTHORIZED');
  const keyId = newIntentId();
  const sealed = sealer.seal(Buffer.from(request.private_key.replace(/^0x/i, ''), 'hex'), keyPlace(keyId));
  await saveKey(db, {
    owner,
    exWallet,
    keyId,
    signer: signer.address,
    sealed,
    verified: standing === 'confirmed',
    payoutWallet: request.payout_wallet?.toLowerCase() ?? null,
    label: request.label ?? null,
  });
}

/** What the exchange says of a key for a wallet; `unknown` when it cannot be asked. */
export async function standingOf(
  exvenue: Exvenue,
  exWallet: string,
  signer: string,
): Promise<'confirmed' | 'refused' | 'unknown'> {
  if (signer === exWallet) return 'confirmed';
  const agents = await exvenue.agents(exWallet);
  if (agents.kind === 'unreadable') return 'unknown';
  const agent = agents.kind === 'found' && agents.said.find(({ address }) => address === signer);
  const isGood = agent && (agent.validUntilMs === null || agent.validUntilMs > Date.now());
  return isGood ? 'confirmed' : 'refused';
}
