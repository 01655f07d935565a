import { expect } from 'chai';
import { authenticate, getScheme, nobody } from '../../src/edge/authenticate.ts';
import { accepting, admin, app, call, operations } from '../support/authenticate.ts';

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

  it('takes the ticket of a stream from the address, at most 512 characters, for the streams of its kind alone', async () => {
    const ask = (id: string, ticket: string | string[] | undefined) => call(id, {}, {}, { query: { ticket } });

    expect((await ask('streamPartnerEvents', long)).given).to.deep.equal([['partnerTickets', long.slice(1)]]);
    expect((await ask('streamTradingEvents', 't')).given).to.deep.equal([['accountTickets', 't']]);
    expect(await ask('streamPartnerEvents', 'wrong')).to.include({
      code: 'V1_STREAM_TICKET_INVALID',
      challenge: 'Ticket realm="v1 stream"',
    });
    expect(await ask('streamTradingEvents', 'wrong')).to.include({
      code: 'V2_STREAM_TICKET_INVALID',
      challenge: 'Ticket realm="v2 trading stream"',
    });
    for (const none of ['', undefined, ['a', 'b']])
      expect(await ask('streamPartnerEvents', none)).to.deep.include({ code: 'V1_KEY_INVALID', given: [] });
    expect(await ask('listSessions', 't')).to.deep.include({ given: [] });
    expect((await call('streamPartnerEvents', {})).given).to.deep.equal([]);
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

  it('rejects an operator without the role, which it names', async () => {
    const authorization = 'Bearer adm_1';
    const as = (role: string) => ({ admins: { ...admin, role } });
    const passes = async (id: string, role: string) => !('code' in (await call(id, { authorization }, as(role))));
    const needs = {
      viewer: 'getQueueHealth',
      support: 'rerunIntent',
      finance: 'refundPayment',
      admin: 'mintKeyOfPartner',
    } as const;

    const passing = await Promise.all(
      Object.keys(needs).map(async (role) => [
        role,
        (await Promise.all(Object.values(needs).map((id) => passes(id, role)))).map(Number).join(''),
      ]),
    );
    const lacking = await call('refundPayment', { authorization }, as('support'));

    expect(passing).to.deep.equal([
      ['viewer', '1000'],
      ['support', '1100'],
      ['finance', '1010'],
      ['admin', '1111'],
    ]);
    expect(lacking).to.include({ code: 'V2_ROLE_MISSING' });
    expect(lacking.message).to.equal('This needs the role finance; yours is support.');
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

  it('reports who lacks a role before it rejects the request', async () => {
    const operation = operations.find(({ id }) => id === 'registerPartner');
    const { deps } = accepting({ admins: { ...admin, isEnrolled: false } });
    const noted: string[] = [];

    const error = await authenticate(
      operation as NonNullable<typeof operation>,
      { method: 'POST', headers: { authorization: 'Bearer adm_1' } },
      deps,
      async ({ kind }, { code }) => void noted.push(kind, code),
    ).catch(({ code }) => code);

    expect(error).to.equal('V2_TOTP_REQUIRED');
    expect(noted).to.deep.equal(['admin', 'V2_TOTP_REQUIRED']);
  });

  it('knows no other scheme', () => {
    expect(() => getScheme('wishes')).to.throw('No check for security scheme wishes');
  });
});
