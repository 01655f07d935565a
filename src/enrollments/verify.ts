import type { Agent, Exvenue } from '../adapters/exchange/types.ts';
import type { components } from '../contract/types.ts';
import type { Db } from '../db/pool.ts';
import { ApiError } from '../kernel/errors.ts';
import { newIntentId, type OwnerId, type WalletAddress } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/seal.ts';
import { epochMs } from '../kernel/work.ts';
import { keySealContext } from './commands.ts';
import { listUnverifiedKeys } from './queries.ts';
import { confirmKey, type NewKey, rejectKey, wipeRetiredKeys } from './store.ts';

type Request = components['schemas']['SessionEnrollRequest'];
type Deps = { exvenue: Exvenue; sealer: Sealer };

/**
 * A wallet's key, checked and sealed, ready to be stored. Throws V1_KEY_UNUSABLE for a malformed key, and
 * V1_KEY_NOT_AUTHORIZED if it is neither the wallet's key nor that of an agent the exchange lists for it. If the
 * exchange cannot be read, the key stays unverified and is checked later; until then a verified key of the wallet goes on
 * signing.
 */
export async function checkKey({ exvenue, sealer }: Deps, owner: OwnerId, request: Request): Promise<NewKey> {
  const exWallet = request.ex_wallet.toLowerCase();
  const signer = exvenue.signerOf(request.private_key);
  if (!signer) throw new ApiError('V1_KEY_UNUSABLE');
  const check = await checkSigner(exvenue, exWallet, signer.address);
  if (check === 'rejected') throw new ApiError('V1_KEY_NOT_AUTHORIZED');
  const keyId = newIntentId();
  const sealed = sealer.seal(Buffer.from(request.private_key.replace(/^0x/i, ''), 'hex'), keySealContext(keyId));
  return {
    owner,
    exWallet,
    keyId,
    signer: signer.address,
    sealed,
    verified: check === 'confirmed',
    payoutWallet: request.payout_wallet?.toLowerCase() ?? null,
    label: request.label ?? null,
  };
}

/** What the check of unverified keys needs. */
export type VerifyDeps = { db: Db; exvenue: Exvenue; log: { warn(fields: object, message: string): void } };

const AT_ONCE = 20; // each read costs the venue's request budget

/**
 * Checks keys that were enrolled while the exchange could not be read. A confirmed one replaces the key it was to replace;
 * a rejected one is removed, and its enrollment is revoked unless an earlier key signs for it.
 * Wipes retired keys that signed no open intent.
 */
export async function verifyKeys({ db, exvenue, log }: VerifyDeps): Promise<void> {
  await wipeRetiredKeys(db);
  for (const { id, owner, ex_wallet, signer } of await listUnverifiedKeys(db, AT_ONCE)) {
    const check = await checkSigner(exvenue, ex_wallet, signer);
    if (check === 'confirmed') await confirmKey(db, id);
    if (check === 'rejected') {
      await rejectKey(db, id);
      log.warn({ owner, ex_wallet, signer }, 'the exchange does not list this key; it is removed');
    }
  }
}

/**
 * Whether a key may sign for a wallet: the wallet's key may, and so may an agent that the exchange lists for it
 * or reports as its key without a name. `unknown` if the exchange cannot be read.
 */
export async function checkSigner(
  exvenue: Exvenue,
  exWallet: WalletAddress,
  signer: WalletAddress,
): Promise<'confirmed' | 'rejected' | 'unknown'> {
  if (signer === exWallet) return 'confirmed';
  const agents = await exvenue.agents(exWallet);
  if (agents.kind === 'unreadable') return 'unknown';
  const named = agents.kind === 'found' ? agents.data : [];
  if (mayTrade(named, signer)) return 'confirmed';
  const unnamed = await exvenue.unnamedAgent(exWallet);
  if (unnamed.kind === 'unreadable') return 'unknown';
  return unnamed.kind === 'found' && mayTrade([unnamed.data], signer) ? 'confirmed' : 'rejected';
}

const mayTrade = (agents: Agent[], signer: WalletAddress): boolean =>
  agents.some(({ address, validUntilMs }) => address === signer && (validUntilMs === null || validUntilMs > epochMs()));
