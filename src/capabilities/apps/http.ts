import type { Config } from '../../config.ts';
import type { CallWith, Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import { listPage } from '../../kernel/pages.ts';
import { type App, appOf, covers, grant, scopes } from '../../kernel/principal.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { rotateAppSecret } from './commands.ts';
import { type ClientFinder, getApp, isSecretOf, listSecrets } from './queries.ts';
import { issueToken, revokeToken } from './tokens/commands.ts';

type Deps = { clients: ClientFinder; config: Pick<Config, 'PUBLIC_URL'>; db: Db };

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }; // RFC 6749, section 5.1

/** Handles `POST /v2/oauth/token`: exchange client credentials for an access token. */
export const issueAccessToken: Handler<'issueAccessToken', Deps> = async (call) => {
  if (call.body.grant_type !== 'client_credentials') throw new ApiError('V2_UNSUPPORTED_GRANT');
  const app = await clientOf(call, call.body);
  const { scope } = call.body; // without a value it counts as omitted (RFC 6749, section 3.2); blanks alone name no scope (section 3.3)
  const granted = scope ? grant(app.scopes, scope.split(' ')) : app.scopes;
  if (granted.length === 0) throw new ApiError('V2_INVALID_SCOPE');
  const { token, expiresInS } = await issueToken(call.deps.db, app, granted);
  return {
    status: 200,
    body: { access_token: token, token_type: 'Bearer', expires_in: expiresInS, scope: granted.join(' ') },
    headers: NO_STORE,
  };
};

/** Handles `POST /v2/oauth/revoke`: revoke an access token. */
export const revokeAccessToken: Handler<'revokeAccessToken', Deps> = async (call) => {
  await revokeToken(call.deps.db, await clientOf(call, call.body), call.body.token);
  return { status: 200, body: {}, headers: NO_STORE };
};

/** The client of basic authorization or of the form's members: exactly one of the two (RFC 6749, section 2.3). */
async function clientOf(
  { principal, deps, throttle, network }: Pick<CallWith<Deps>, 'principal' | 'deps' | 'throttle' | 'network'>,
  form: { client_id?: string; client_secret?: string },
): Promise<App> {
  if (principal.kind === 'app') {
    if (form.client_secret !== undefined || (form.client_id ?? principal.owner) !== principal.owner) {
      throw missing('client_secret', 'must not be given twice');
    }
    return principal;
  }
  if (form.client_id === undefined) throw missing('client_id', 'must be given');
  if (form.client_secret === undefined) throw missing('client_secret', 'must be given');
  await throttle(budgetOf('client', form.client_id, network));
  const app = await deps.clients(form.client_id, form.client_secret);
  if (!app) throw new ApiError('V2_INVALID_CREDENTIALS');
  return app;
}

const missing = (member: string, msg: string) =>
  new ApiError('INVALID_REQUEST', { fields: [{ loc: ['body', member], msg, type: 'client_authentication' }] });

/** Handles `GET /v2/oauth/me`: read the app of the access token. */
export const getOauthPrincipal: Handler<'getOauthPrincipal', Deps> = async ({ principal }) => {
  const app = appOf(principal);
  return {
    status: 200,
    body: {
      app_id: app.owner,
      slug: app.slug,
      entity_hotkey: app.entityHotkey,
      scopes: app.scopes,
      expires_at: app.expiresAt ?? '',
    },
  };
};

/** Handles `GET /v2/apps/me`: read the app itself. */
export const getOwnApp: Handler<'getOwnApp', Deps> = async ({ deps, principal }) => ({
  status: 200,
  body: await getApp(deps.db, appOf(principal).owner),
});

const DEFAULT_OVERLAP_S = 86_400;

/**
 * Handles `POST /v2/apps/me/rotate-secret`: replace the client secret. Whoever has the secret gets every scope of the app, so the
 * token must have them all. Throws V2_SCOPE_MISSING.
 */
export const rotateOwnAppSecret: Handler<'rotateOwnAppSecret', Deps> = async ({ deps, principal, body, commit }) => {
  const app = appOf(principal);
  const { allowed_scopes } = await getApp(deps.db, app.owner);
  const lacking = allowed_scopes.find((scope) => !covers(app.scopes, scope));
  if (lacking !== undefined)
    throw new ApiError('V2_SCOPE_MISSING', {
      message: `The access token lacks the scope ${lacking}: a new secret gives every scope of the app.`,
      headers: { 'WWW-Authenticate': `Bearer realm="v2", error="insufficient_scope", scope="${lacking}"` },
    });
  return commit(async (db) => ({
    status: 200,
    body: await rotateAppSecret(db, app, body?.overlap_seconds ?? DEFAULT_OVERLAP_S),
    headers: NO_STORE,
  }));
};

/** Serves `GET /.well-known/oauth-authorization-server`: the metadata of RFC 8414. */
export const getAuthorizationServer: Handler<'getAuthorizationServer', Deps> = async ({ deps: { config } }) => ({
  status: 200,
  body: {
    issuer: config.PUBLIC_URL,
    token_endpoint: `${config.PUBLIC_URL}/v2/oauth/token`,
    revocation_endpoint: `${config.PUBLIC_URL}/v2/oauth/revoke`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    scopes_supported: [...scopes],
    service_documentation: `${config.PUBLIC_URL}/docs`,
  },
});

/** Handles `GET /v2/apps/me/secrets`: list the client secrets of the app. */
export const listOwnSecrets: Handler<'listOwnSecrets', Pick<Deps, 'db'>> = ({ deps, principal, query }) => {
  const { owner } = appOf(principal);
  const isKnown = (id: string) => isSecretOf(deps.db, owner, id);
  return listPage(query, { path: '/v2/apps/me/secrets', cursorOf: ({ secret_id }) => secret_id, isKnown }, (page) =>
    listSecrets(deps.db, owner, page),
  );
};
