import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { authenticate, getScheme, nobody, type SchemeDeps } from '../../src/edge/authenticate.ts';
import type { ApiError } from '../../src/kernel/errors.ts';

const operations = listOperations();
const app = { kind: 'app', owner: 'app_1', scopes: ['api'] };
const admin = { kind: 'admin', owner: '', adminId: 'adm_1', isEnrolled: true };

/** Authenticators that accept every token but `wrong`, and what they were given. */
function accepting(principals: Record<string, object> = {}) {
  const given: unknown[][] = [];
  const accept = (name: string, found: object) => async (token: string, more?: unknown) => {
    given.push([name, token, ...(more === undefined ? [] : [more])]);
    return token === 'wrong' ? null : (principals[name] ?? found);
  };
  const deps = {
    config: { PUBLIC_URL: 'https://api.example.com/base' },
    partners: accept('partners', { kind: 'partner', owner: 'ptn_1' }),
    clients: accept('clients', app),
    apps: accept('apps', app),
    users: accept('users', { kind: 'user', owner: 'app_1' }),
    traders: accept('traders', { kind: 'trader', owner: 'app_1' }),
    admins: accept('admins', admin),
  } as unknown as SchemeDeps; // as: their principals are incomplete
  return { given, deps };
}

async function call(id: string, headers: IncomingHttpHeaders, principals = {}, as?: string) {
  const operation = operations.find((each) => each.id === id);
  if (!operation) throw new Error(`No operation ${id}`);
  const { given, deps } = accepting(principals);
  const method = as ?? operation.method.toUpperCase();
  const found = await authenticate(operation, { method, headers }, deps).catch((error: ApiError) => error);
  if (!(found instanceof Error)) return { kind: found.kind, given };
  return { code: found.code, challenge: found.details.headers?.['WWW-Authenticate'], message: found.message, given };
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const long = 'x'.repeat(513);

describe('authenticate', () => {
  describe('reads a bearer token', () => {
    for (const authorization of ['Bearer tpk_1', 'bearer tpk_1', 'BEARER   tpk_1', `Bearer ${long.slice(1)}`])
      it(`from ${authorization.slice(0, 20)}`, async () => {
        const { kind, given } = await call('listSessions', { authorization });

        expect(kind).to.equal('partner');
        expect(given).to.deep.equal([['partners', authorization.replace(/^\w+ +/, '')]]);
      });

    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      'Bearer a b',
      'xBearer a',
      `Bearer ${long}`,
      'Bearer ä',
      'Basic a',
    ])
      it(`not from "${authorization.slice(0, 20)}"`, async () => {
        expect(await call('listSessions', { authorization })).to.include({
          code: 'V1_KEY_INVALID',
          challenge: 'Bearer realm="v1"',
        });
      });
  });

  it('names a wrong bearer token as such, and no other credential', async () => {
    expect(await call('listSessions', { authorization: 'Bearer wrong' })).to.include({
      code: 'V1_KEY_INVALID',
      challenge: 'Bearer realm="v1", error="invalid_token"',
    });
    expect(await call('getCurrentUser', { authorization: 'Bearer wrong', 'x-session-token': 's' })).to.include({
      code: 'V2_TOKEN_INVALID',
      challenge: 'Bearer realm="v2", error="invalid_token"',
    });
    expect(await call('getCurrentUser', { authorization: 'Bearer a', 'x-session-token': 'wrong' })).to.include({
      code: 'V2_SESSION_INVALID',
      challenge: 'Session realm="v2 users"',
    });
    expect(await call('listTradingOrders', { 'x-api-key': 'wrong' })).to.include({
      code: 'V2_API_KEY_INVALID',
      challenge: 'ApiKey realm="v2 trading"',
    });
  });

  it('hands the session to the app that the token belongs to, at most 512 characters, and never without an app', async () => {
    const headers = { authorization: 'Bearer a', 'x-session-token': long };

    expect((await call('getCurrentUser', headers)).given).to.deep.equal([
      ['apps', 'a'],
      ['users', long.slice(1), app],
    ]);
    for (const token of [undefined, '', ['a', 'b']])
      expect(await call('getCurrentUser', { authorization: 'Bearer a', 'x-session-token': token })).to.include({
        code: 'V2_SESSION_INVALID',
      });
    const strange = await call('getCurrentUser', headers, { apps: { kind: 'partner', owner: 'ptn_1' } });
    expect(strange).to.include({ code: 'V2_SESSION_INVALID' });
    expect(strange.given).to.deep.equal([['apps', 'a']]);
  });

  it('takes a trader key alone for trading, at most 512 characters', async () => {
    expect((await call('listTradingOrders', { 'x-api-key': long })).given).to.deep.equal([['traders', long.slice(1)]]);
    for (const key of [undefined, '', ['a', 'b']])
      expect((await call('listTradingOrders', { 'x-api-key': key })).given).to.deep.equal([]);
    expect(await call('getCurrentUser', { 'x-api-key': 'key' })).to.include({ code: 'V2_TOKEN_INVALID' });
  });

  it('takes an operator’s token from the header only with its prefix, and from the cookie of its name', async () => {
    const cookies = (cookie: string) => call('getCurrentAdmin', { cookie });

    expect((await call('getCurrentAdmin', { authorization: 'Bearer adm_1' })).given).to.deep.equal([
      ['admins', 'adm_1'],
    ]);
    for (const authorization of ['Bearer xadm_1', 'Bearer 1', 'adm_1'])
      expect((await call('getCurrentAdmin', { authorization })).given).to.deep.equal([]);
    for (const cookie of [
      '__Host-admin_session=adm_1',
      'a=b; __Host-admin_session=adm_1',
      'a=b;__Host-admin_session=adm_1;c=d',
    ])
      expect((await cookies(cookie)).given, cookie).to.deep.equal([['admins', 'adm_1']]);
    for (const cookie of [
      '',
      'x__Host-admin_session=adm_1',
      'a=b __Host-admin_session=adm_1',
      '__Host-admin_session=1',
      '__Host-admin_session=adm_',
      '__Host-admin_session=adm_1 2',
      `__Host-admin_session=adm_${'x'.repeat(129)}`,
    ])
      expect(await cookies(cookie), cookie).to.include({ code: 'V2_ADMIN_SESSION_INVALID' });
  });

  it('takes the operator’s cookie for a change only from this service’s own pages', async () => {
    const cookie = '__Host-admin_session=adm_1';
    const change = (more: IncomingHttpHeaders) => call('logOutAdmin', { cookie, ...more });

    for (const more of [
      { origin: 'https://api.example.com' },
      { origin: 'https://console.example.com', host: 'console.example.com' },
    ])
      expect(await change(more), JSON.stringify(more)).to.include({ kind: 'admin' });
    for (const more of [
      {},
      { origin: '' },
      { origin: 'null' },
      { origin: 'https://evil.example', host: 'api.example.com' },
      { origin: 'http://api.example.com', host: 'api.example.com' },
      { origin: 'https://api.example.com:8443', host: 'api.example.com' },
      { referer: 'https://api.example.com/' },
    ])
      expect(await change(more), JSON.stringify(more)).to.include({ code: 'FORBIDDEN_ORIGIN' });
    expect(await call('getCurrentAdmin', { cookie })).to.include({ kind: 'admin' });
    expect(await call('logOutAdmin', { authorization: 'Bearer adm_1' })).to.include({ kind: 'admin' });
  });

  it('rejects an operator without an authenticator, and a token without the scope, which it names', async () => {
    const admins = { ...admin, isEnrolled: false };

    expect(await call('listAllPartners', { authorization: 'Bearer adm_1' }, { admins })).to.include({
      code: 'V2_TOTP_REQUIRED',
    });
    expect(await call('enrollAdminAuthenticator', { authorization: 'Bearer adm_1' }, { admins })).to.include({
      kind: 'admin',
    });
    const narrow = { apps: { ...app, scopes: ['reads'] } };
    const lacking = await call('rotateOwnAppSecret', { authorization: 'Bearer a' }, narrow);
    expect(lacking).to.include({
      code: 'V2_SCOPE_MISSING',
      challenge: 'Bearer realm="v2", error="insufficient_scope", scope="api"',
    });
    expect(lacking.message).to.include('lacks the scope api');
    expect(await call('listTiers', { authorization: 'Bearer a' }, narrow)).to.include({ kind: 'app' });
  });

  it('reads client credentials as RFC 6749 codes them', async () => {
    const read = (authorization: string) => call('revokeAccessToken', { authorization });

    expect((await read(basic('app_1:csk_1'))).given).to.deep.equal([['clients', 'app_1', 'csk_1']]);
    expect((await read('basic   YTpi')).given).to.deep.equal([['clients', 'a', 'b']]);
    expect((await read(basic('a:b:c'))).given).to.deep.equal([['clients', 'a', 'b:c']]);
    expect((await read(basic('a%3Ab+c:d%2B:e+f\ng'))).given).to.deep.equal([['clients', 'a:b c', 'd+:e f\ng']]);
    expect((await read(basic(':'))).given).to.deep.equal([['clients', '', '']]);
    for (const authorization of [
      basic('app_1'),
      basic('%zz:csk_1'),
      `x${basic('a:b')}`,
      `${basic('a:b')} x`,
      'Basic',
      'Basic ',
      'Basic ä',
      `Basic ${'a'.repeat(1_028)}`,
      'Bearer a:b',
    ])
      expect(await read(authorization), authorization).to.deep.include({
        code: 'V2_INVALID_CREDENTIALS',
        challenge: 'Basic realm="v2 clients"',
        given: [],
      });
  });

  it('asks for the first set of credentials if none is complete, and for none where none is needed', async () => {
    expect(await call('getHealth', {})).to.deep.equal({ kind: 'nobody', given: [] });
    expect(await call('listTradingOrders', {})).to.include({
      code: 'V2_TOKEN_INVALID',
      challenge: 'Bearer realm="v2"',
    });
    expect(await call('revokeAccessToken', {})).to.deep.equal({ kind: 'nobody', given: [] });
    expect(await call('takeProcessorNotification', {})).to.include({
      code: 'V2_SIGNATURE_INVALID',
      challenge: 'Signature realm="v2 processor"',
    });
    expect(await call('takeProcessorNotification', { 'stripe-signature': 't=1' })).to.include({ kind: 'nobody' });
  });

  it('leaves empty headers out of account', async () => {
    const bearer = { authorization: 'Bearer a' };

    expect(await call('revokeUserSession', { ...bearer, 'x-session-token': '' })).to.include({ kind: 'app' });
    expect(await call('revokeUserSession', { ...bearer, 'x-session-token': 's' })).to.include({ kind: 'user' });
    expect(await call('listTradingOrders', { 'x-api-key': '' })).to.include({ code: 'V2_TOKEN_INVALID' });
    expect(await call('listTradingOrders', { ...bearer, 'x-api-key': 'wrong' })).to.include({ kind: 'app' });
    expect(nobody).to.deep.equal({ kind: 'nobody', owner: '' });
  });

  it('takes an operator by cookie where a header would do too, with the challenge of what is wrong', async () => {
    const cookie = '__Host-admin_session=adm_1';
    const unknown = { admins: undefined };

    expect(await call('listFailedPropAccounts', { cookie })).to.include({ kind: 'admin' });
    expect(await call('getCurrentAdmin', { cookie }, {}, 'HEAD')).to.include({ kind: 'admin' });
    expect(await call('getCurrentAdmin', { cookie }, {}, 'OPTIONS')).to.include({ kind: 'admin' });
    expect(await call('getCurrentAdmin', {}, unknown)).to.include({ challenge: 'Session realm="v2 operators"' });
    expect(await call('listFailedPropAccounts', {}, unknown)).to.include({
      code: 'V2_ADMIN_SESSION_INVALID',
      challenge: 'Bearer realm="v2 operators"',
    });
  });

  it('tells who lacks a role before it rejects the request', async () => {
    const operation = operations.find(({ id }) => id === 'registerPartner');
    const { deps } = accepting({ admins: { ...admin, isEnrolled: false } });
    const told: string[] = [];

    const error = await authenticate(
      operation as NonNullable<typeof operation>,
      { method: 'POST', headers: { authorization: 'Bearer adm_1' } },
      deps,
      async ({ kind }, { code }) => void told.push(kind, code),
    ).catch(({ code }) => code);

    expect(error).to.equal('V2_TOTP_REQUIRED');
    expect(told).to.deep.equal(['admin', 'V2_TOTP_REQUIRED']);
  });

  it('knows no other scheme', () => {
    expect(() => getScheme('wishes')).to.throw('No check for security scheme wishes');
  });
});
