import axios, { type AxiosError, type AxiosInstance } from 'axios';
import axiosRetry from 'axios-retry';
import { expect } from 'chai';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { sql } from 'slonik';
import { z } from 'zod';
import { bearer, fresh, type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { market, SUBMIT } from '../support/orders.ts';

describe('libraries that callers use', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({ NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' });
    app = await service.app(['api', 'webhooks']);
  });
  after(() => service.stop());

  const whoami = (token: string) => service.ask('GET', '/v2/oauth/me', { headers: bearer(token) });

  describe('openid-client', () => {
    const discover = (authentication: openid.ClientAuth, id = app.appId) =>
      openid.discovery(new URL(service.url), id, undefined, authentication, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });

    for (const [name, authenticate] of [
      ['basic', openid.ClientSecretBasic],
      ['form', openid.ClientSecretPost],
    ] as const)
      it(`discovers, authenticates by ${name}, uses its token and revokes it`, async () => {
        const config = await discover(authenticate(app.secret));

        const token = await openid.clientCredentialsGrant(config, { scope: 'webhooks' });
        const me = await openid.fetchProtectedResource(
          config,
          token.access_token,
          new URL('/v2/oauth/me', service.url),
          'GET',
        );
        await openid.tokenRevocation(config, token.access_token);

        expect(token.expiresIn()).to.be.within(3_590, 3_600);
        expect(token.scope).to.equal('webhooks');
        expect(await me.json()).to.deep.include({ app_id: app.appId, scopes: ['webhooks'] });
        expect((await whoami(token.access_token)).status).to.equal(401);
      });

    it('reads the errors of the token endpoint, and the challenge of a token that is no longer valid', async () => {
      const config = await discover(openid.ClientSecretPost(app.secret));
      const wrong = await discover(openid.ClientSecretBasic('csk_wrong'));

      const scope = await openid.clientCredentialsGrant(config, { scope: 'payouts:write' }).catch((error) => error);
      const client = await openid.clientCredentialsGrant(wrong).catch((error) => error);
      const refresh = await openid.refreshTokenGrant(config, 'none').catch((error) => error);
      const gone = await openid
        .fetchProtectedResource(config, 'apt_gone', new URL('/v2/oauth/me', service.url), 'GET')
        .catch((error) => error);

      expect(scope).to.be.instanceOf(openid.ResponseBodyError).and.include({ error: 'invalid_scope', status: 400 });
      expect(scope.error_description).to.be.a('string').and.not.empty;
      const challenged = client instanceof openid.WWWAuthenticateChallengeError || client.error === 'invalid_client';
      expect(challenged, String(client)).to.equal(true);
      expect(client.status).to.equal(401);
      expect(refresh).to.include({ error: 'unsupported_grant_type', status: 400 });
      expect(gone).to.be.instanceOf(openid.WWWAuthenticateChallengeError);
      expect(gone.cause[0].parameters.error).to.equal('invalid_token');
    });
  });

  describe('simple-oauth2', () => {
    const clientOf = (secret: string, authorizationMethod: 'header' | 'body' = 'header') =>
      new ClientCredentials({
        client: { id: app.appId, secret },
        auth: { tokenHost: service.url, tokenPath: '/v2/oauth/token', revokePath: '/v2/oauth/revoke' },
        options: { authorizationMethod },
      });

    for (const method of ['header', 'body'] as const)
      it(`obtains a token by ${method}, knows when it expires, and revokes it`, async () => {
        const held = await clientOf(app.secret, method).getToken({ scope: ['api', 'webhooks'] });
        const used = await whoami(String(held.token.access_token));
        await held.revoke('access_token');

        expect(held.expired()).to.equal(false);
        expect(held.expired(3_601)).to.equal(true);
        expect(held.token.scope).to.equal('api webhooks');
        expect(used.body.scopes).to.have.members(['api', 'webhooks']);
        expect((await whoami(String(held.token.access_token))).status).to.equal(401);
      });

    it('obtains another token when the first has expired', async () => {
      const client = clientOf(app.secret);
      const first = await client.getToken({});
      await service.db.query(sql.unsafe`update app_tokens set expires_at = now() where app_id = ${app.appId}`);
      const expired = await whoami(String(first.token.access_token));
      const second = await client.getToken({});

      expect(expired.status).to.equal(401);
      expect(expired.headers.get('www-authenticate')).to.include('error="invalid_token"');
      expect((await whoami(String(second.token.access_token))).status).to.equal(200);
    });

    it('reads the errors of the token endpoint', async () => {
      const denied = await clientOf('csk_wrong')
        .getToken({})
        .catch((error) => error);
      const scope = await clientOf(app.secret)
        .getToken({ scope: 'payouts:write' })
        .catch((error) => error);
      const held = await clientOf(app.secret).getToken({});
      const refreshed = await held.refresh().catch((error) => error);

      expect(denied.output.statusCode).to.equal(401);
      expect(denied.data.payload.error).to.equal('invalid_client');
      expect(scope.output.statusCode).to.equal(400);
      expect(scope.data.payload.error).to.equal('invalid_scope');
      expect(refreshed.data.payload.error).to.equal('unsupported_grant_type');
    });
  });

  describe('axios-retry', () => {
    const orders = '/v1/orders/netvenue';

    /** A client that repeats what it may, at once; the waits that the library would have made are recorded. */
    function retrying(headers: Record<string, string>, baseURL = service.url, before = (_: AxiosInstance) => {}) {
      const client = axios.create({ baseURL, headers });
      const waitsMs: number[] = [];
      before(client);
      axiosRetry(client, {
        retries: 2,
        retryCondition: axiosRetry.isRetryableError,
        retryDelay: (nth, error) => {
          waitsMs.push(axiosRetry.linearDelay(0)(nth, error));
          return 0;
        },
      });
      return { client, waitsMs };
    }

    const ordersOf = async (trader: string) =>
      (
        await service.db.one(sql.type(z.object({ n: z.number() }))`
        select count(*)::int as n from orders where trader like ${`%_${trader}`}`)
      ).n;

    it('repeats an order under its Idempotency-Key after a lost response, and it is placed once', async () => {
      const trader = await service.trader();
      let isLost = false;
      const losingOne = ({ interceptors }: AxiosInstance) =>
        interceptors.response.use((response) => {
          if (isLost) return response;
          isLost = true;
          throw new axios.AxiosError('the connection broke', 'ECONNRESET', response.config);
        });
      const headers = { ...bearer(trader.key), 'Trader-ID': trader.traderId };
      const { client } = retrying(headers, service.url, losingOne);

      const placed = await client.post(orders, market(), { headers: { 'Idempotency-Key': fresh('key') } });

      expect(isLost).to.equal(true);
      expect(placed.status).to.equal(200);
      expect(placed.headers['idempotent-replayed']).to.equal('true');
      expect(await ordersOf(trader.traderId)).to.equal(1);
    });

    it('repeats an order of which nothing was sent as a new attempt, and it is placed once', async () => {
      const trader = await service.trader();
      const { client, waitsMs } = retrying({ ...bearer(trader.key), 'Trader-ID': trader.traderId });
      service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });

      const placed = await client
        .post(orders, market(), { headers: { 'Idempotency-Key': fresh('key') } })
        .finally(() => service.miner.faults.clear());
      const ended = await service.db.anyFirst(sql.type(z.object({ state: z.string() }))`
        select i.state from intents i join orders o on o.id = i.id where o.trader like ${`%_${trader.traderId}`} order by i.created_at`);

      expect(placed.status).to.equal(200);
      expect(waitsMs).to.have.length(1);
      expect(ended).to.deep.equal(['failed', 'succeeded']);
    });

    it('reads in Retry-After how long to wait after 429', async () => {
      const email = `${fresh('guess')}@example.com`;
      const { client, waitsMs } = retrying(bearer((await service.app(['api'])).token));
      const guess = () => client.post('/v2/auth/login', { email, password: 'wrong' }).catch((error) => error);
      await guess();
      await service.db.query(sql.unsafe`update throttles set spent = budget where name = 'login'`);
      const last: AxiosError = await guess();

      expect(last.response?.status).to.equal(429);
      expect(waitsMs).to.have.length(2);
      const seconds = Number(last.response?.headers['retry-after']);
      for (const ms of waitsMs) expect(ms).to.be.within(seconds * 1_000, (seconds + 30) * 1_000); // it counts down
    });

    it('does not repeat a write that was rejected', async () => {
      const { client, waitsMs } = retrying({});

      const failed = await client.post('/v2/auth/signup', {}).catch((error) => error);

      expect(failed.response.status).to.equal(401);
      expect(waitsMs).to.deep.equal([]);
    });
  });
});
