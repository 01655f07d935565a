import type { Call, Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { adminOf } from '../../../kernel/principal.ts';
import { requireValue } from '../../../kernel/require.ts';
import { actorOf } from '../audit/actor.ts';
import { decideApproval } from './commands.ts';
import { findApproval, isApproval, listApprovals as listPageOf } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/approvals`: list requests that need another operator's approval. */
export const listApprovals: Handler<'listApprovals', Deps> = ({ deps, query }) => {
  const isKnown = (id: string) => isApproval(deps.db, id);
  return listPage(query, { path: '/v2/admin/approvals', cursorOf: ({ approval_id }) => approval_id, isKnown }, (page) =>
    listPageOf(deps.db, { open: query.open ?? false, ...page }),
  );
};

/** Handles `GET /v2/admin/approvals/{approval_id}`: read a request that needs another operator's approval. */
export const getApproval: Handler<'getApproval', Deps> = async ({ deps, path }) => ({
  status: 200,
  body: requireValue(await findApproval(deps.db, path.approval_id), 'V2_APPROVAL_UNKNOWN'),
});

/** Handles `POST /v2/admin/approvals/{approval_id}/approve`: approve a request of another operator. */
export const approveRequest: Handler<'approveRequest', Deps> = (call) => decided(call, true);

/** Handles `POST /v2/admin/approvals/{approval_id}/reject`: reject a request of another operator. */
export const rejectRequest: Handler<'rejectRequest', Deps> = (call) => decided(call, false);

type Decision = Pick<
  Call<'approveRequest' | 'rejectRequest', Deps>,
  'principal' | 'path' | 'body' | 'commit' | 'address' | 'requestId'
>;

const decided = (call: Decision, isApproved: boolean) =>
  call.commit(async (db) => {
    const { approval_id: approvalId } = call.path;
    const decision = { approvalId, isApproved, why: call.body.reason };
    await decideApproval(db, decision, { admin: adminOf(call.principal), actor: actorOf(call) });
    return { status: 200 as const, body: requireValue(await findApproval(db, approvalId), 'V2_APPROVAL_UNKNOWN') };
  });
