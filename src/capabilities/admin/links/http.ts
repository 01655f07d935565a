import type { Handler } from '../../../contract/handler.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { moveLink } from '../../accounts/links/commands.ts';

/** Handles `POST /v2/admin/wallet-links/{ex_wallet}/move`: give an unproven link to a partner that proved the wallet. */
export const moveWalletLink: Handler<'moveWalletLink'> = ({ principal, path, body, commit }) => {
  const { partner_id, reason } = body;
  const ex_wallet = path.ex_wallet.toLowerCase();
  return commit(async (db) => {
    const subaccount_id = await moveLink(db, ex_wallet, partner_id, { operator: operatorName(principal), reason });
    return { status: 200, body: { ex_wallet, partner_id, subaccount_id } };
  });
};
