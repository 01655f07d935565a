import { expect } from 'chai';
import type { Caller } from '../../support/caller.ts';
import { asking, bearer, fresh } from '../../support/identity.ts';
import { type Money, startMoney, tierDemo } from '../../support/money.ts';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { market } from '../../support/orders.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { until } from '../../support/processes.ts';
import { firing, NEVER, ONCE, promtool } from '../../support/rules.ts';
import { KEYS, startService } from '../../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const CALLS = 'tps_upstream_call_duration_seconds_count';
const FAILED = ['unreachable', 'unknown', 'unreadable'];

describe('the operator on call, of the network', function () {
  this.timeout(60_000);
  let service: Money;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    service = await startMoney({ settings: { ORDER_DEADLINE_MS: '3000' } });
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
  });
  afterEach(() => service?.miner.faults.clear());
  const order = (trader: Pick<Caller, 'post'>, prefer?: string) =>
    trader.post(ORDERS, market({ leverage: 0.001 }), prefer === undefined ? {} : { prefer });

  it('waits until it responds again', async () => {
    const traders = await Promise.all([1, 2, 3].map(() => service.trader()));
    const quiet = await onCall.scrape();
    service.miner.faults.add({ kind: 'reset' });
    await Promise.all(traders.map((trader) => order(trader, 'wait=0')));
    const troubled = await until('nine calls without a response', async () => {
      const shown = await onCall.scrape();
      return FAILED.reduce((sum, result) => sum + (shown.value(CALLS, { result }) ?? 0), 0) >= 9 ? shown : null;
    });

    service.miner.faults.clear();
    const ended = await Promise.all(traders.map((trader) => order(trader)));
    const calm = await onCall.scrape();

    expect(ended.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(await firing('UpstreamDown', { quiet, troubled, calm }, { minutes: 2 })).to.deep.equal(ONCE);
  });

  it('is not woken by the wrong key of one tenant, and is told of it', async () => {
    const admin = await service.admin();
    const quiet = await onCall.scrape();
    const json = {
      name: 'Own',
      slug: fresh('own'),
      scopes: ['api'],
      entity_hotkey: fresh('hotkey'),
      network_api_key: 'revoked',
    };
    const { body: app } = await admin.ask('POST', '/v2/admin/apps', { json });
    const { body } = await service.token({ appId: app.app_id, secret: app.client_secret });
    const token = body.access_token;
    const tenant = { appId: app.app_id, secret: app.client_secret, token, ask: asking(service.url, bearer(token)) };
    const user = await service.user(tenant);
    await user.ask('POST', '/v2/payments/free', { json: tierDemo });
    const troubled = await onCall.scrape();
    const lines = service.log.lines.filter(({ alert }) => alert === 'credentials_rejected');

    const scrapes = { quiet, troubled, calm: troubled };
    expect(
      lines.map(({ tenant }) => tenant),
      'whom to tell',
    ).to.include(app.app_id);
    expect(await firing('CredentialsRejected', scrapes)).to.deep.equal(NEVER);
    expect(await firing('TenantKeyRejected', scrapes, { minutes: 10, after: 90 })).to.deep.equal(ONCE);
  });

  it('sets the new key, and restarts', async () => {
    const database = await freshDatabase();
    const start = (minerKey: string) =>
      startService({ database: { ...database, drop: async () => {} }, settings: { NETVENUE_MINER_KEY: minerKey } });
    const wrong = await start('of last year');
    const [before, quiet] = await openOnCall(wrong).then(async (each) => [each, await each.scrape()] as const);
    const partner = await wrong.partner();
    const account = { asset_class: 'crypto', account_size: 10_000 };
    const rejected = await partner.post('/v1/register/netvenue', account);
    const troubled = await before.scrape();
    await before.stop();
    await wrong.stop();

    const right = await start(KEYS.minerKey);
    const after = await openOnCall(right);
    await right.trader();
    const calm = await after.scrape();
    await after.stop();
    await right.stop();
    await database.drop();

    expect(rejected.status).to.equal(502);
    expect(await firing('CredentialsRejected', { quiet, troubled, calm }, { minutes: 5 })).to.deep.equal(ONCE);
  });
});
