import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage } from '../../../kernel/pages.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { approvedCommit } from '../approvals/commands.ts';
import { actorOf } from '../audit/actor.ts';
import { dropWaiting } from '../owners/commands.ts';
import { createApp, replaceStolenSecret, rotateAppSecret, setAppActive, updateApp } from './commands.ts';
import { isApp, listApps } from './queries.ts';

type Deps = { db: Db; sealer: Sealer; config: Pick<Config, 'DUAL_CONTROL_CENTS'> };

const DEFAULT_OVERLAP_S = 86_400;

/** Handles `GET /v2/admin/apps`: list tenant apps. */
export const listTenantApps: Handler<'listTenantApps', Deps> = ({ deps, query }) =>
  listPage(
    query,
    { path: '/v2/admin/apps', cursorOf: ({ app_id }) => app_id, isKnown: (id) => isApp(deps.db, id) },
    (page) => listApps(deps.db, page),
  );

/** Handles `POST /v2/admin/apps`: register a tenant app. */
export const createTenantApp: Handler<'createTenantApp', Deps> = async (call) => {
  const { name, slug, entity_hotkey, network_api_key, scopes } = call.body;
  if ((entity_hotkey === undefined) !== (network_api_key === undefined))
    throw new ApiError('V2_APP_CREDENTIALS_MISMATCH');
  const app = {
    name,
    slug,
    contactEmail: null,
    entityHotkey: entity_hotkey ?? null,
    networkApiKey: network_api_key ?? null,
    scopes,
  };
  return approvedCommit(call, { subject: slug })(async (db) => {
    const made = await createApp(db, call.deps.sealer, app, actorOf(call));
    return {
      status: 200,
      body: {
        ...made,
        client_id: made.app_id,
        slug,
        name,
        entity_hotkey: app.entityHotkey,
        note: 'The client secret is shown only once.',
      },
    };
  });
};

/** Handles `PATCH /v2/admin/apps/{app_id}`: change an app's settings, or the key of its miner. */
export const updateTenantApp: Handler<'updateTenantApp', Deps> = (call) => {
  const { app_id } = call.path;
  const commit = call.body.network_api_key === undefined ? call.commit : approvedCommit(call, { subject: app_id });
  return commit(async (db) => ({
    status: 200,
    body: await updateApp({ db, sealer: call.deps.sealer }, app_id, call.body, actorOf(call)),
  }));
};

/** Handles `POST /v2/admin/apps/{app_id}/disable`: disable an app. */
export const disableTenantApp: Handler<'disableTenantApp', Deps> = (call) =>
  call.commit(async (db) => ({
    status: 200,
    body: await setAppActive(db, call.path.app_id, { active: false }, actorOf(call)),
  }));

/** Handles `POST /v2/admin/apps/{app_id}/enable`: enable an app again. */
export const enableTenantApp: Handler<'enableTenantApp', Deps> = async (call) => {
  const { app_id } = call.path;
  const act = { actor: actorOf(call), action: 'app.drop_waiting' };
  if (call.body?.waiting === 'drop') await dropWaiting(call.deps.db, app_id, act);
  return call.commit(async (db) => ({
    status: 200,
    body: await setAppActive(db, app_id, { active: true, ...call.body }, actorOf(call)),
  }));
};

/** Handles `POST /v2/admin/apps/{app_id}/rotate-secret`: replace an app's client secret. */
export const rotateTenantAppSecret: Handler<'rotateTenantAppSecret', Deps> = async (call) => {
  const overlapS = call.body?.overlap_seconds ?? DEFAULT_OVERLAP_S;
  const { app_id } = call.path;
  return approvedCommit(call, { subject: app_id })(async (db) => {
    const body = call.query.stolen
      ? await replaceStolenSecret(db, app_id, actorOf(call))
      : await rotateAppSecret(db, app_id, overlapS, actorOf(call));
    return { status: 200, body };
  });
};
