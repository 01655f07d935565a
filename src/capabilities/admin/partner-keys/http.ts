import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage } from '../../../kernel/pages.ts';
import { isKeyOf, listPartnerKeys } from '../../partners/keys/queries.ts';
import { approvedCommit } from '../approvals/commands.ts';
import { actorOf } from '../audit/actor.ts';
import { findPartner } from '../partners/queries.ts';
import { mintPartnerKey, revokePartnerKey, revokeStolenKey } from './commands.ts';

type Deps = { db: Db; config: Pick<Config, 'DUAL_CONTROL_CENTS'> };

/** Handles `GET /v2/admin/partners/{partner_id}/keys`: list the keys of a partner. */
export const listKeysOfPartner: Handler<'listKeysOfPartner', Deps> = async ({ deps, path, query }) => {
  const partner = await findPartner(deps.db, path.partner_id);
  if (!partner) throw new ApiError('V2_PARTNER_UNKNOWN');
  const isKnown = (id: string) => isKeyOf(deps.db, path.partner_id, id);
  return listPage(
    query,
    { path: `/v2/admin/partners/${path.partner_id}/keys`, cursorOf: ({ key_id }) => key_id, isKnown },
    (page) => listPartnerKeys(deps.db, path.partner_id, page),
  );
};

/** Handles `POST /v2/admin/partners/{partner_id}/keys`: create another key for a partner. */
export const mintKeyOfPartner: Handler<'mintKeyOfPartner', Deps> = (call) => {
  const { partner_id } = call.path;
  return approvedCommit(call, { subject: partner_id })(async (db) => {
    const minted = await mintPartnerKey(db, partner_id, call.body?.label ?? null, actorOf(call));
    if (!minted) throw new ApiError('V2_PARTNER_UNKNOWN');
    return { status: 200, body: minted };
  });
};

/** Handles `DELETE /v2/admin/partner-keys/{key_id}`: revoke a partner key. */
export const revokeKeyOfPartner: Handler<'revokeKeyOfPartner', Deps> = (call) =>
  call.commit(async (db) => {
    const revoke = call.query.stolen ? revokeStolenKey : revokePartnerKey;
    const revoked = await revoke(db, call.path.key_id, actorOf(call));
    if (!revoked) throw new ApiError('V2_PARTNER_KEY_UNKNOWN');
    return { status: 200, body: { revoked: true, ...revoked } };
  });
