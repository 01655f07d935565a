import type { Call, Handler } from '../edge/handler.ts';
import { type App, appOf } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import { grant, scopes } from '../kernel/scopes.ts';
import { budgetOf } from '../kernel/throttles.ts';
import { issueToken, revokeToken, rotateOwnSecret, TOKEN_LIVES_S } from './intents.ts';
import { getApp } from './queries.ts';

const NOT_KEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }; // RFC 6749, section 5.1

export const issueAccessToken: Handler<'issueAccessToken'> = async (call) => {
  const app = await clientOf(call, call.body);
  if (call.body.grant_type !== 'client_credentials') throw new Refusal('V2_UNSUPPORTED_GRANT');
  const asked = call.body.scope?.split(' ').filter(Boolean) ?? [];
  const granted = asked.length > 0 ? grant(app.scopes, asked) : app.scopes;
  if (granted.length === 0) throw new Refusal('V2_INVALID_SCOPE');
  const token = await issueToken(call.runtime.db, app, granted);
  return {
    status: 200,
    body: { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIVES_S, scope: granted.join(' ') },
    headers: NOT_KEPT,
  };
};

export const revokeAccessToken: Handler<'revokeAccessToken'> = async (call) => {
  await revokeToken(call.runtime.db, await clientOf(call, call.body), call.body.token);
  return { status: 200, body: undefined, headers: NOT_KEPT };
};

/** The client behind a basic authorization or the form's own members: exactly one of the two (RFC 6749, section 2.3). */
async function clientOf(
  { principal, runtime, throttle, network }: Pick<Call, 'principal' | 'runtime' | 'throttle' | 'network'>,
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
  const app = await runtime.clients(form.client_id, form.client_secret);
  if (!app)
    throw new Refusal('V2_INVALID_CREDENTIALS', { headers: { 'WWW-Authenticate': 'Basic realm="v2 clients"' } });
  return app;
}

const missing = (member: string, msg: string) =>
  new Refusal('INVALID_REQUEST', { fields: [{ loc: ['body', member], msg, type: 'client_authentication' }] });

export const getOauthPrincipal: Handler<'getOauthPrincipal'> = async ({ principal }) => {
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

export const getOwnApp: Handler<'getOwnApp'> = async ({ runtime, principal }) => ({
  status: 200,
  body: await getApp(runtime.db, appOf(principal).owner),
});

const DEFAULT_OVERLAP_S = 86_400;

export const rotateOwnAppSecret: Handler<'rotateOwnAppSecret'> = async ({ runtime, principal, body }) => ({
  status: 200,
  body: await rotateOwnSecret(runtime.db, appOf(principal), body?.overlap_seconds ?? DEFAULT_OVERLAP_S),
  headers: NOT_KEPT,
});

/** RFC 8414. */
export const getAuthorizationServer: Handler<'getAuthorizationServer'> = async ({ runtime: { config } }) => ({
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
