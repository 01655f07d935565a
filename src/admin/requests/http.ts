import type { Call, Handler } from '../../edge/handler.ts';
import { actorOf } from '../audit/actor.ts';
import { approveAppRequest, declineAppRequest, reissueRevealLink } from './intents.ts';
import { findAppRequest, listAppRequests } from './queries.ts';

const DEFAULT_PAGE = 50;

export const listAccessRequests: Handler<'listAccessRequests'> = async ({ runtime, query }) => {
  const limit = query.limit ?? DEFAULT_PAGE;
  const found = await listAppRequests(runtime.db, query.status ?? null, query.cursor ?? null, limit + 1);
  const body = found.slice(0, limit);
  const next = new URLSearchParams({ limit: String(limit), cursor: body.at(-1)?.request_id ?? '' });
  if (query.status) next.set('status', query.status);
  if (found.length <= limit) return { status: 200, body };
  return { status: 200, body, headers: { Link: `</v2/admin/app-requests?${next}>; rel="next"` } };
};

export const approveAccessRequest: Handler<'approveAccessRequest'> = async (call) => {
  const { entity_hotkey, network_api_key, slug, name, allowed_scopes } = call.body;
  const request = await findAppRequest(call.runtime.db, call.path.request_id);
  const approval = {
    entityHotkey: entity_hotkey,
    networkApiKey: network_api_key ?? null,
    slug: slug ?? request?.slug ?? '',
    name: name ?? request?.company_name ?? '',
    scopes: allowed_scopes,
  };
  return { status: 200, body: await approveAppRequest(toolsOf(call), call.path.request_id, approval) };
};

export const declineAccessRequest: Handler<'declineAccessRequest'> = async (call) => ({
  status: 200,
  body: await declineAppRequest(toolsOf(call), call.path.request_id, call.body?.reason ?? null),
});

export const reissueAccessLink: Handler<'reissueAccessLink'> = async (call) => ({
  status: 200,
  body: await reissueRevealLink(toolsOf(call), call.path.request_id),
});

const toolsOf = (call: Pick<Call, 'runtime' | 'principal' | 'address' | 'requestId'>) => ({
  db: call.runtime.db,
  sealer: call.runtime.sealer,
  publicUrl: call.runtime.config.PUBLIC_URL,
  actor: actorOf(call),
});
