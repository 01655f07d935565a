import type { Config } from '../../../config.ts';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { OwnerId } from '../../../kernel/ids.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { provesWallet } from '../../../kernel/wallet-proof.ts';
import { epochMs } from '../../../kernel/work.ts';
import { type Enrollment, findEnrollment } from '../../enrollments/queries.ts';
import { saveProof } from './commands.ts';

/** How a partner has proven control of a wallet: by an enrolled key that the exchange confirmed and has not ended, or by a signature. */
export type LinkProof = 'session' | 'signature';

type Deps = { config: Pick<Config, 'WALLET_LINK_PROOF'>; db: Db; sealer: Sealer };
type Request = components['schemas']['RegisterNetvenueRequest'];

/**
 * The proof of the wallet in a request; null for a request without a wallet, and for an unproven wallet where none is
 * required. A signature is stored, so that it counts later too. Throws V1_WALLET_UNPROVEN for a wrong signature, where a
 * proof is required, and for a request that says where the owner of an unproven wallet is paid.
 */
export async function proveWallet(
  { config, db, sealer }: Deps,
  owner: OwnerId,
  { ex_address, ownership_proof, payout_address }: Request,
): Promise<LinkProof | null> {
  if (!ex_address) return null;
  const wallet = ex_address.toLowerCase();
  if (ownership_proof) {
    if (!(await provesWallet(ownership_proof, { owner, wallet }, sealer))) throw unproven();
    await saveProof(db, owner, wallet);
    return 'signature';
  }
  const session = await findEnrollment(db, owner, wallet);
  if (session?.verified && !hasEnded(session)) return 'session';
  if (config.WALLET_LINK_PROOF === 'required' || payout_address) throw unproven();
  return null;
}

/** Whether the exchange has ended the agent of a session, as it said at the enrollment. */
const hasEnded = ({ valid_until }: Enrollment) => valid_until !== null && Date.parse(valid_until) <= epochMs();

const unproven = () => new ApiError('V1_WALLET_UNPROVEN', { effect: 'none' });
