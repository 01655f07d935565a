import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import { sql } from 'slonik';
import { atOnce, bearer, fresh, type Identity, startIdentity, statuses, type TestApp } from '../support/identity.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

describe('oauth', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app(['api', 'webhooks']);
  });
  after(() => service.stop());

  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  const form = (more: Record<string, string> = {}) => ({ grant_type: 'client_credentials', ...more });
  const exchange = (members: Record<string, string>, headers: Record<string, string> = {}) =>
    service.ask('POST', '/v2/oauth/token', { form: members, headers });

  for (const [name, authenticate] of [
    ['basic', oauth.ClientSecretBasic],
    ['form', oauth.ClientSecretPost],
  ] as const) {
    it(`works with an OAuth library that discovers, authenticates by ${name}, uses and revokes`, async () => {
      const issuer = new URL(service.url);
      const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
      const server = await oauth.processDiscoveryResponse(issuer, found);
      const client = { client_id: app.appId };
      const authentication = authenticate(app.secret);

      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        authentication,
        { scope: 'webhooks' },
        insecure,
      );
      const token = await oauth.processClientCredentialsResponse(server, client, response);
      const used = await oauth.protectedResourceRequest(
        token.access_token,
        'GET',
        new URL('/v2/oauth/me', issuer),
        undefined,
        undefined,
        insecure,
      );
      const principal = await used.json();
      const revoked = await oauth.revocationRequest(server, client, authentication, token.access_token, insecure);
      await oauth.processRevocationResponse(revoked);
      const after = await service.ask('GET', '/v2/oauth/me', { headers: bearer(token.access_token) });

      expect(token).to.include({ token_type: 'bearer', expires_in: 3600, scope: 'webhooks' });
      expect(principal).to.deep.include({ app_id: app.appId, entity_hotkey: null, scopes: ['webhooks'] });
      expect(after.body.error.code).to.equal('V2_TOKEN_INVALID');
    });
  }

  it('returns errors to the library as defined by RFC 6749', async () => {
    const server = { issuer: service.url, token_endpoint: `${service.url}/v2/oauth/token` };
    const client = { client_id: app.appId };

    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(app.secret),
      { scope: 'payouts:write' },
      insecure,
    );
    const fault = await oauth.processClientCredentialsResponse(server, client, response).catch((error) => error);

    expect(fault).to.be.instanceOf(oauth.ResponseBodyError);
    expect(fault).to.include({ error: 'invalid_scope', status: 400 });
  });

  describe('issueAccessToken', () => {
    it('grants every scope of the app when none is requested, and forbids caching of the response', async () => {
      const { status, body, headers } = await service.token(app);

      expect(status).to.equal(200);
      expect(body).to.include({ token_type: 'Bearer', expires_in: 3600, scope: 'api webhooks' });
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('ratelimit-policy')).to.match(/"address";q=\d+;w=60/);
    });

    it('drops scopes the app lacks, and rejects the request when none is left', async () => {
      const granted = await service.token(app, 'webhooks payouts:write nonsense');
      const rejected = await service.token(app, 'payouts:write *');

      expect(granted.body.scope).to.equal('webhooks');
      expect(rejected.status).to.equal(400);
      expect(rejected.body).to.include({ error: 'invalid_scope', status: 400 });
      expect(rejected.body.error_description).to.be.a('string');
      expect(rejected.body.detail.code).to.equal('V2_INVALID_SCOPE');
    });

    it('accepts a form only', async () => {
      const json = { ...form(), client_id: app.appId, client_secret: app.secret };

      const reply = await service.ask('POST', '/v2/oauth/token', { json });

      expect(reply.status).to.equal(422);
      expect(reply.body.detail).to.deep.include({ code: 'INVALID_REQUEST', effect: 'none' });
      expect(reply.body.error).to.equal('invalid_request');
    });

    it('rejects wrong secrets, unknown clients, and a wrong basic authorization', async () => {
      const attempts = [
        await exchange(form({ client_id: app.appId, client_secret: 'csk_wrong' })),
        await exchange(form({ client_id: 'app_nobody', client_secret: app.secret })),
        await exchange(form(), basic(app.appId, 'csk_wrong')),
        await exchange(form(), { Authorization: 'Basic %%%' }),
        await exchange(form(), basic('app_\0', 'csk_wrong')),
        await exchange(form(), basic('app_%00', 'csk_wrong')),
        await exchange(form(), bearer(app.token)),
      ];

      for (const { status, body, headers } of attempts) {
        expect(status).to.equal(401);
        expect(body.error).to.equal('invalid_client');
        expect(body.detail.code).to.equal('V2_INVALID_CREDENTIALS');
        expect(headers.get('www-authenticate')).to.equal('Basic realm="v2 clients"');
      }
    });

    it('rejects other grants, missing members, and two authentication methods at once', async () => {
      const whole = { client_id: app.appId, client_secret: app.secret };

      const password = await exchange({ ...whole, grant_type: 'password' });
      const noGrant = await exchange(whole);
      const noClient = await exchange(form());
      const noSecret = await exchange(form({ client_id: app.appId }));
      const twice = await exchange(form(whole), basic(app.appId, app.secret));

      expect(password.body).to.deep.include({ error: 'unsupported_grant_type', status: 400 });
      expect(password.body.detail.code).to.equal('V2_UNSUPPORTED_GRANT');
      for (const reply of [noGrant, noClient, noSecret, twice]) expect(reply.status).to.equal(422);
      expect(noClient.body.detail.fields[0].loc).to.deep.equal(['body', 'client_id']);
    });

    it('issues tokens that expire after an hour, and stores only their digest', async () => {
      const { body } = await service.token(app);
      const stored = await service.db.any(sql.unsafe`select t::text from app_tokens t where app_id = ${app.appId}`);
      await service.db.query(
        sql.unsafe`update app_tokens set expires_at = expires_at - interval '3600 s' where app_id = ${app.appId}`,
      );

      const late = await service.ask('GET', '/v2/oauth/me', { headers: bearer(body.access_token) });

      expect(JSON.stringify(stored)).not.to.include(body.access_token);
      expect(late.body.error.code).to.equal('V2_TOKEN_INVALID');
      expect(late.headers.get('www-authenticate')).to.equal('Bearer realm="v2", error="invalid_token"');
    });
  });

  describe('rotateOwnAppSecret', () => {
    const rotate = (token: string, json?: object) =>
      service.ask('POST', '/v2/apps/me/rotate-secret', {
        ...(json && { json }),
        headers: { ...bearer(token), 'Idempotency-Key': fresh('rotation') },
      });

    it('keeps the previous secret valid for the requested time, and no longer', async () => {
      const fixture = await service.app();

      const rotated = await rotate(fixture.token, { overlap_seconds: 600 });
      const both = [
        await service.token(fixture),
        await service.token({ ...fixture, secret: rotated.body.client_secret }),
      ];
      await service.db.query(
        sql.unsafe`update app_secrets set expires_at = now() where app_id = ${fixture.appId} and expires_at is not null`,
      );
      const old = await service.token(fixture);
      const oldToken = await fixture.ask('GET', '/v2/oauth/me');

      expect(rotated.body.client_id).to.equal(fixture.appId);
      expect(Date.parse(rotated.body.previous_secret_expires_at) - Date.now()).to.be.within(590_000, 601_000);
      expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(old.status).to.equal(401);
      expect(oldToken.status).to.equal(401);
    });

    it('succeeds exactly once out of 100 concurrent calls with one token', async () => {
      const fixture = await service.app();

      const replies = await atOnce(100, () => rotate(fixture.token));

      expect(statuses(replies)).to.deep.equal({ 200: 1, 409: 99 });
      expect(replies.find(({ status }) => status === 409)?.body.error.code).to.equal('V2_SECRET_SUPERSEDED');
    });

    it('overlaps for a day by default, ends at once for 0, and rejects more than a week', async () => {
      const day = await service.app();
      const none = await service.app();

      const byDefault = await rotate(day.token);
      const atZero = await rotate(none.token, { overlap_seconds: 0 });

      expect(Date.parse(byDefault.body.previous_secret_expires_at) - Date.now()).to.be.within(86_390_000, 86_401_000);
      expect(atZero.status).to.equal(200);
      expect((await service.token(none)).status).to.equal(401);
      expect((await rotate(day.token, { overlap_seconds: 604_801 })).status).to.equal(422);
    });

    it('requires more than a narrow token', async () => {
      const fixture = await service.app(['webhooks']);

      const reply = await rotate(fixture.token);

      expect(reply.status).to.equal(403);
      expect(reply.body.error.code).to.equal('V2_SCOPE_MISSING');
    });

    it('gives nobody a scope that the token lacks', async () => {
      const fixture = await service.app(['api', 'webhooks', 'payouts:write']);
      const { body: narrow } = await service.token(fixture, 'api');

      const reply = await rotate(narrow.access_token);

      expect([reply.status, reply.body.error?.code]).to.deep.equal([403, 'V2_SCOPE_MISSING']);
      expect(reply.body.error.message).to.contain('payouts:write');
      expect((await service.token(fixture)).status).to.equal(200);
      expect((await rotate(fixture.token)).status).to.equal(200);
    });
  });

  describe('getOwnApp', () => {
    it('returns the record and no secret', async () => {
      const token = (await service.token(app)).body.access_token;

      const { status, body } = await service.ask('GET', '/v2/apps/me', { headers: bearer(token) });

      expect(status).to.equal(200);
      expect(body).to.deep.include({ app_id: app.appId, allowed_scopes: ['api', 'webhooks'], active: true });
      expect(Object.keys(body)).to.have.members([
        'app_id',
        'slug',
        'name',
        'entity_hotkey',
        'allowed_scopes',
        'active',
      ]);
    });
  });
});
