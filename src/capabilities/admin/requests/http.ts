import type { Config } from '../../../config.ts';
import type { CallWith, Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { approvedCommit } from '../approvals/commands.ts';
import { actorOf } from '../audit/actor.ts';
import { approveAppRequest, declineAppRequest, reissueRevealLink } from './commands.ts';
import { type AppRequest, findAppRequest, listAppRequests } from './queries.ts';

type Deps = { config: Pick<Config, 'PUBLIC_URL' | 'DUAL_CONTROL_CENTS'>; db: Db; sealer: Sealer };

/** Handles `GET /v2/admin/app-requests`: list access requests. */
export const listAccessRequests: Handler<'listAccessRequests', Deps> = ({ deps, query }) => {
  const isKnown = async (id: string) => (await findAppRequest(deps.db, id)) !== null;
  const shown = { path: '/v2/admin/app-requests', cursorOf: (row: AppRequest) => row.request_id, isKnown };
  return listPage(query, shown, (page) => listAppRequests(deps.db, query.status ?? null, page));
};

/** Handles `POST /v2/admin/app-requests/{request_id}/approve`: approve an access request. */
export const approveAccessRequest: Handler<'approveAccessRequest', Deps> = async (call) => {
  const { entity_hotkey, network_api_key, slug, name, allowed_scopes } = call.body;
  const request = await findAppRequest(call.deps.db, call.path.request_id);
  const approval = {
    entityHotkey: entity_hotkey,
    networkApiKey: network_api_key ?? null,
    slug: slug ?? request?.slug ?? '',
    name: name ?? request?.company_name ?? '',
    scopes: allowed_scopes,
  };
  const { request_id } = call.path;
  return approvedCommit(call, { subject: request_id, facts: applicantOf(request) })(async (db) => {
    return { status: 200, body: await approveAppRequest(toolsOf(call, db), request_id, approval) };
  });
};

/** Who asked for access, and who is mailed the credentials. */
const applicantOf = (request: AppRequest | null) => ({
  company_name: request?.company_name ?? null,
  contact_email: request?.contact_email ?? null,
});

/** Handles `POST /v2/admin/app-requests/{request_id}/decline`: decline an access request. */
export const declineAccessRequest: Handler<'declineAccessRequest', Deps> = (call) =>
  call.commit(async (db) => ({
    status: 200,
    body: await declineAppRequest(toolsOf(call, db), call.path.request_id, call.body?.reason ?? null),
  }));

/** Handles `POST /v2/admin/app-requests/{request_id}/reissue`: mail a new one-time link. */
export const reissueAccessLink: Handler<'reissueAccessLink', Deps> = async (call) => {
  const { request_id } = call.path;
  const facts = applicantOf(await findAppRequest(call.deps.db, request_id));
  return approvedCommit(call, { subject: request_id, facts })(async (db) => {
    return { status: 200, body: await reissueRevealLink(toolsOf(call, db), request_id) };
  });
};

const toolsOf = (call: Pick<CallWith<Deps>, 'deps' | 'principal' | 'address' | 'requestId'>, db: Db) => ({
  db,
  sealer: call.deps.sealer,
  publicUrl: call.deps.config.PUBLIC_URL,
  actor: actorOf(call),
});
