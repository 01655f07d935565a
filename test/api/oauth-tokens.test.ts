import { expect } from 'chai';
import { sql } from 'slonik';
import { listOperations } from '../../src/contract/document.ts';
import { bearer, type Data, type Identity, startIdentity } from '../support/identity.ts';
import { until } from '../support/processes.ts';

/** Whether a statement waits for a lock that another transaction has. */
const isWaiting = (tx: Pick<Identity['db'], 'exists'>): Promise<boolean> =>
  tx.exists(sql.unsafe`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);

/* What RFC 6749, 6750 and 7009 let a client rely on. */
describe('access tokens', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  it('expire with the secret they were issued with, and say so', async () => {
    const app = await service.app(['api']);
    await service.ask('POST', '/v2/apps/me/rotate-secret', {
      json: { overlap_seconds: 60 },
      headers: { ...bearer(app.token), 'Idempotency-Key': 'rotation' },
    });

    const issued = await service.token(app);
    const [earlier, later] = await Promise.all(
      [app.token, issued.body.access_token].map((token) =>
        service.ask('GET', '/v2/oauth/me', { headers: bearer(token) }),
      ),
    );

    expect(issued.body.expires_in).to.be.within(1, 60);
    for (const principal of [earlier, later])
      expect(Date.parse(principal?.body.expires_at) - Date.now()).to.be.within(1, 60_000);
  });

  it('are issued to requests with members without a value, as if these were absent', async () => {
    const app = await service.app(['api']);
    const inForm = `grant_type=client_credentials&client_id=${app.appId}&client_secret=${app.secret}`;
    const basic = `Basic ${Buffer.from(`${app.appId}:${app.secret}`).toString('base64')}`;
    const send = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${service.url}/v2/oauth/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });

    const byBasic = await send('grant_type=client_credentials&client_id=&client_secret=', { Authorization: basic });
    const apart = await send(`&${inForm}&&scope=&scope=`);
    const noGrant = await send(inForm.replace('client_credentials', ''));
    const blank = await send(`${inForm}&scope=+`);

    expect([blank.status, await blank.json()]).to.deep.include.members([400]);
    expect([byBasic.status, apart.status, noGrant.status]).to.deep.equal([200, 200, 422]);
    expect(await noGrant.json()).to.include({ error: 'invalid_request' });
  });

  it('are issued to requests with members that the service does not know', async () => {
    const app = await service.app(['api']);
    const client = { client_id: app.appId, client_secret: app.secret };

    const issued = await service.ask('POST', '/v2/oauth/token', {
      form: { grant_type: 'client_credentials', ...client, audience: 'https://api.example', resource: 'x' },
    });
    const revoked = await service.ask('POST', '/v2/oauth/revoke', {
      form: { token: issued.body.access_token, ...client, audience: 'https://api.example' },
    });

    expect(issued.status).to.equal(200);
    expect(revoked.status).to.equal(200);
    expect(revoked.headers.get('content-type')).to.match(/^application\/json/);
    expect(revoked.body).to.deep.equal({});
  });

  for (const members of [
    { grant_type: 'password', username: 'a', password: 'b' },
    { grant_type: 'authorization_code', code: 'c', redirect_uri: 'https://a.example', client_id: 'x' },
    { grant_type: 'refresh_token', refresh_token: 'r' },
    { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.b.c' },
  ]) {
    it(`are not issued for ${members.grant_type}, whatever its members`, async () => {
      const { status, body } = await service.ask('POST', '/v2/oauth/token', { form: members });

      expect(status).to.equal(400);
      expect(body.error).to.equal('unsupported_grant_type');
      expect(body.detail.code).to.equal('V2_UNSUPPORTED_GRANT');
    });
  }

  it('are named as the fault where they are wrong, and not where there is none', async () => {
    const wrong = await service.ask('GET', '/v2/oauth/me', { headers: bearer('apt_wrong') });
    const none = await service.ask('GET', '/v2/oauth/me');
    const key = await service.ask('GET', '/v1/sessions', { headers: bearer('tpk_wrong') });

    expect([wrong, none, key].map(({ status }) => status)).to.deep.equal([401, 401, 401]);
    expect(wrong.headers.get('www-authenticate')).to.match(/^Bearer .*error="invalid_token"/);
    expect(none.headers.get('www-authenticate')).to.equal('Bearer realm="v2"');
    expect(key.headers.get('www-authenticate')).to.match(/^Bearer .*error="invalid_token"/);
  });

  it('are named as the fault where they end while their request is under way', async () => {
    const app = await service.app(['api']);
    const hook = { url: 'https://hooks.example.com/late', events: ['*'] };

    let creation: Promise<Data> | undefined;
    await service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from apps where id = ${app.appId} for update`);
      creation = app.ask('POST', '/v2/webhook-endpoints', { json: hook });
      await until('the creation waits', () => isWaiting(tx));
      await tx.query(sql.unsafe`update app_secrets set expires_at = now() where app_id = ${app.appId}`);
    });
    const { status, headers, body } = (await creation) as Data; // as: it was sent above

    expect([status, body.error?.code], JSON.stringify(body)).to.deep.equal([401, 'V2_TOKEN_INVALID']);
    expect(headers.get('www-authenticate')).to.equal('Bearer realm="v2", error="invalid_token"');
  });

  it('that lack a scope get its name, in message and header', async () => {
    const app = await service.app(['webhooks']);

    const rejected = await app.ask('POST', '/v2/apps/me/rotate-secret');

    expect(rejected.status).to.equal(403);
    expect(rejected.body.error.message).to.match(/\bapi\b/);
    expect(rejected.headers.get('www-authenticate')).to.equal(
      'Bearer realm="v2", error="insufficient_scope", scope="api"',
    );
  });

  it('with the scope reads open reads and no write', async () => {
    const app = await service.app(['reads']);

    const replies = {
      tiers: await app.ask('GET', '/v2/tiers'),
      account: await app.ask('GET', '/v2/trading/positions', { headers: { 'X-Prop-Account': 'prop_unknown' } }),
      order: await app.ask('POST', '/v2/trading/orders/close', {
        headers: { 'X-Prop-Account': 'prop_unknown' },
        json: { trade_pair: 'BTCUSD' },
      }),
      endpoints: await app.ask('GET', '/v2/webhook-endpoints'),
    };

    expect(replies.tiers.status).to.equal(200);
    expect(replies.account.body.error.code).not.to.equal('V2_SCOPE_MISSING');
    expect(replies.order.body.error.code).to.equal('V2_SCOPE_MISSING');
    expect(replies.endpoints.body.error.code).to.equal('V2_SCOPE_MISSING'); // these require webhooks, api or *
  });

  it('with the scope reads open every read, but those of webhooks and of operators', async () => {
    const app = await service.app(['reads']);
    const reads = listOperations().filter(
      ({ method, security }) => method === 'get' && security.some(([first]) => first?.scheme === 'appToken'),
    );

    const closed: string[] = [];
    for (const { id, path } of reads) {
      const { body } = await app.ask('GET', path.replaceAll(/\{\w+\}/g, 'x'), { headers: { 'X-Prop-Account': 'x' } });
      if (body.error?.code === 'V2_SCOPE_MISSING') closed.push(id);
    }

    expect(reads).to.have.length.above(25);
    expect(closed).to.have.members([
      ...['listWebhookEndpoints', 'listWebhookDeliveries', 'getWebhookDelivery', 'listAppEvents'], // webhooks, api or *
      ...['listFailedPropAccounts', 'listPaymentRecords', 'listPayoutRecords'], // *: operators list them too, of every app
    ]);
  });
});
