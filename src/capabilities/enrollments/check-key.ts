import type { components } from '../../contract/types.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newIntentId, type OwnerId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { Exvenue } from '../../venues/exchange/adapter/types.ts';
import { keySealContext } from '../../venues/exchange/signing/commands.ts';
import { checkSigner } from './signer.ts';
import type { NewKey } from './store.ts';

type Request = components['schemas']['SessionEnrollRequest'];

type Deps = { exvenue: Exvenue; sealer: Sealer };

/**
 * A wallet's key, checked and sealed, ready to be stored. Throws V1_KEY_UNUSABLE for a malformed key, and
 * V1_WALLET_IS_AGENT if the wallet is the address of an agent, and V1_KEY_NOT_AUTHORIZED if the key is neither the
 * wallet's key nor that of an agent the exchange lists for it. If the exchange cannot be read, the key stays unverified
 * and is checked later; until then a verified key of the wallet goes on signing.
 */
export async function checkKey({ exvenue, sealer }: Deps, owner: OwnerId, request: Request): Promise<NewKey> {
  const exWallet = request.ex_wallet.toLowerCase();
  const signer = exvenue.signerOf(request.private_key);
  if (!signer) throw new ApiError('V1_KEY_UNUSABLE');
  const check = await checkSigner(exvenue, exWallet, signer.address);
  if (check.kind === 'agent_of')
    throw new ApiError('V1_WALLET_IS_AGENT', {
      message: `${exWallet} is the address of an agent of ${check.master}; enroll the key for that wallet.`,
      reason: check.master,
    });
  if (check.kind === 'rejected') throw new ApiError('V1_KEY_NOT_AUTHORIZED');
  const keyId = newIntentId();
  const sealed = sealer.seal(Buffer.from(request.private_key.replace(/^0x/i, ''), 'hex'), keySealContext(keyId));
  return {
    owner,
    exWallet,
    keyId,
    signer: signer.address,
    sealed,
    verified: check.kind === 'confirmed',
    validUntilMs: check.kind === 'confirmed' ? check.validUntilMs : null,
    payoutWallet: request.payout_wallet?.toLowerCase() ?? null,
    label: request.label ?? null,
  };
}
