import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { actorOf } from '../audit/actor.ts';
import { createApp, disableApp, enableApp, rotateAppSecret, updateApp } from './intents.ts';
import { listApps } from './queries.ts';

const DEFAULT_OVERLAP_S = 86_400;
const NOT_KEPT = { 'Cache-Control': 'no-store' };

export const listTenantApps: Handler<'listTenantApps'> = async ({ runtime }) => ({
  status: 200,
  body: [...(await listApps(runtime.db))],
});

export const createTenantApp: Handler<'createTenantApp'> = async (call) => {
  const { name, slug, entity_hotkey, network_api_key, scopes } = call.body;
  if ((entity_hotkey === undefined) !== (network_api_key === undefined))
    throw new Refusal('V2_APP_CREDENTIALS_MISMATCH');
  const app = {
    name,
    slug,
    contactEmail: null,
    entityHotkey: entity_hotkey ?? null,
    networkApiKey: network_api_key ?? null,
    scopes,
  };
  const made = await createApp(call.runtime.db, call.runtime.sealer, app, actorOf(call));
  return {
    status: 200,
    body: {
      ...made,
      client_id: made.app_id,
      slug,
      name,
      entity_hotkey: app.entityHotkey,
      note: 'The client secret is shown this once.',
    },
    headers: NOT_KEPT,
  };
};

export const updateTenantApp: Handler<'updateTenantApp'> = async (call) => ({
  status: 200,
  body: await updateApp(call.runtime.db, call.path.app_id, call.body, actorOf(call)),
});

export const disableTenantApp: Handler<'disableTenantApp'> = async (call) => ({
  status: 200,
  body: await disableApp(call.runtime.db, call.path.app_id, actorOf(call)),
});

export const enableTenantApp: Handler<'enableTenantApp'> = async (call) => ({
  status: 200,
  body: await enableApp(call.runtime.db, call.path.app_id, actorOf(call)),
});

export const rotateTenantAppSecret: Handler<'rotateTenantAppSecret'> = async (call) => {
  const overlapS = call.body?.overlap_seconds ?? DEFAULT_OVERLAP_S;
  const body = await rotateAppSecret(call.runtime.db, call.path.app_id, overlapS, actorOf(call));
  return { status: 200, body, headers: NOT_KEPT };
};
