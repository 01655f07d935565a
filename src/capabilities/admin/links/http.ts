import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { moveLink } from '../../accounts/links/commands.ts';
import { approvedCommit } from '../approvals/commands.ts';

type Deps = { db: Db; config: Pick<Config, 'DUAL_CONTROL_CENTS'> };

/** Handles `POST /v2/admin/wallet-links/{ex_wallet}/move`: give an unproven link to a partner that proved the wallet. */
export const moveWalletLink: Handler<'moveWalletLink', Deps> = (call) => {
  const { principal, path, body } = call;
  const { partner_id, reason } = body;
  const ex_wallet = path.ex_wallet.toLowerCase();
  return approvedCommit(call, { subject: ex_wallet, summary: { ex_wallet, partner_id } })(async (db) => {
    const subaccount_id = await moveLink(db, ex_wallet, partner_id, { operator: operatorName(principal), reason });
    return { status: 200, body: { ex_wallet, partner_id, subaccount_id } };
  });
};
