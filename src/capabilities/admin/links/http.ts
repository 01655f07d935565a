import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { moveLink } from '../../accounts/links/commands.ts';
import { findMovableLink } from '../../accounts/links/queries.ts';
import { approvedCommit } from '../approvals/commands.ts';

type Deps = { db: Db; config: Pick<Config, 'DUAL_CONTROL_CENTS'> };

/** Handles `POST /v2/admin/wallet-links/{ex_wallet}/move`: give an unproven link to a partner that proved the wallet. */
export const moveWalletLink: Handler<'moveWalletLink', Deps> = async (call) => {
  const { principal, path, body } = call;
  const { partner_id, reason } = body;
  const ex_wallet = path.ex_wallet.toLowerCase();
  const link = await findMovableLink(call.deps.db, ex_wallet, partner_id);
  const facts = { ex_wallet, synthetic_hotkey: link?.synthetic_hotkey ?? null, moved_from: link?.owner ?? null };
  return approvedCommit(call, { subject: ex_wallet, facts })(async (db) => {
    const by = { operator: operatorName(principal), reason };
    const subaccount_id = await moveLink(db, { wallet: ex_wallet, hotkey: facts.synthetic_hotkey }, partner_id, by);
    return { status: 200, body: { ex_wallet, partner_id, subaccount_id } };
  });
};
