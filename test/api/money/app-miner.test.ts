import { expect } from 'chai';
import { asking, bearer, fresh, type TestApp, type TestUser } from '../../support/identity.ts';
import { accountIn, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { expectApiError } from '../../support/operator.ts';
import { KEYS } from '../../support/service.ts';

describe('a tenant with its own network identity', () => {
  let service: Money;
  let entity: string;
  let tenant: TestApp;
  let trader: TestUser;
  before(async () => {
    service = await startMoney();
    entity = fresh('entity');
    tenant = await tenantOf(entity, `${KEYS.minerKey}:${entity}`);
    trader = await service.user(tenant);
  });
  after(() => service.stop());

  async function tenantOf(entity_hotkey: string, network_api_key: string): Promise<TestApp> {
    const operator = await service.admin();
    const json = { name: 'Own miner', slug: fresh('miner'), scopes: ['api'], entity_hotkey, network_api_key };
    const made = await operator.ask('POST', '/v2/admin/apps', { json });
    const app = { appId: made.body.app_id, secret: made.body.client_secret };
    const { body } = await service.token(app);
    return { ...app, token: body.access_token, ask: asking(service.url, bearer(body.access_token)) };
  }
  const atValidator = (path: string) => asking(service.miner.validatorUrl, bearer(KEYS.validatorKey))('GET', path);
  const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1 };
  const CREATE = '/miner/api/create-subaccount';
  const SUBMIT = '/miner/api/submit-order';

  it('gets subaccounts of its own entity, one for each creation, also when the response is lost', async () => {
    service.miner.faults.add({ kind: 'accept_then_drop', route: CREATE, times: 1 });

    await trader.ask('POST', '/v2/payments/free', { json: tierDemo });
    const account = await accountIn(trader.ask, 'evaluation');

    const { body } = await atValidator(`/entity/${entity}`);
    expect(account.synthetic_hotkey).to.equal(`${entity}_0`);
    expect(Object.keys(body.entity.subaccounts)).to.deep.equal(['0']);
    expect((await atValidator(`/entity/${KEYS.entityHotkey}`)).body.entity.subaccounts).to.deep.equal({});
  });

  it('trades there, and its orders are reconciled there', async () => {
    const placed = await trader.ask('POST', '/v2/trading/orders', { json: order });
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });
    const lost = await trader.ask('POST', '/v2/trading/orders', { json: order });
    const synced = await trader.ask('POST', `/v2/lifecycle/sync/${(await accountIn(trader.ask, 'evaluation')).id}`);

    expect([placed, lost].map(({ status, body }) => [status, body.status])).to.deep.equal([
      [200, 'accepted'],
      [200, 'accepted'],
    ]);
    const { body } = await atValidator(`/orders/${entity}_0?status=filled`);
    expect(body.filled.map((filled: { order_uuid: string }) => filled.order_uuid)).to.have.members([
      placed.body.order_uuid,
      lost.body.order_uuid,
    ]);
    expect(synced.body).to.include({ synced: true, status: 'evaluation' });
  });

  it('is attached by an operator to subaccounts of its own miner, not of the platform', async () => {
    const user = await service.user(tenant);
    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const failed = (await user.ask('POST', '/v2/payments/free', { json: tierDemo })).body;
    const miner = asking(service.miner.minerUrl, bearer(`${KEYS.minerKey}:${entity}`));
    await miner('POST', '/api/create-subaccount', { json: { asset_class: 'crypto', account_size: 10_000 } });
    const operator = await service.admin();

    await operator.ask('POST', `/v2/admin/prop-accounts/${failed.id}/attach`, {
      json: { subaccount_id: 1, reason: 'made by hand' },
    });

    const account = await accountIn(user.ask, 'evaluation');
    expect(account).to.include({ id: failed.id, synthetic_hotkey: `${entity}_1` });
  });

  it('coexists with tenants on the platform’s identity', async () => {
    await service.buyer.ask('POST', '/v2/payments/free', { json: tierDemo });
    const account = await accountIn(service.buyer.ask, 'evaluation');

    expect(account.synthetic_hotkey).to.equal(`${KEYS.entityHotkey}_0`);
  });

  it('gets another key by an operator, sealed and audited without it; the former one is used no more', async () => {
    const own = fresh('entity');
    const rotated = await tenantOf(own, 'the former key');
    const [operator, path] = [await service.admin(), `/v2/admin/apps/${rotated.appId}`];
    const network_api_key = `${KEYS.minerKey}:${own}`;

    const changed = await operator.ask('PATCH', path, { json: { name: 'Rotated', network_api_key } });

    expect(changed.body).to.include({ name: 'Rotated', entity_hotkey: own, has_network_key: true });
    const user = await service.user(rotated);
    await user.ask('POST', '/v2/payments/free', { json: tierDemo });
    expect(await accountIn(user.ask, 'evaluation')).to.include({ synthetic_hotkey: `${own}_0` });
    const [{ action, detail }] = (await operator.ask('GET', `/v2/admin/audit?subject=${rotated.appId}`)).body;
    expect({ action, detail }).to.deep.equal({
      action: 'app.update',
      detail: { name: 'Rotated', has_network_api_key: true },
    });
  });

  it('is what an app on the platform’s identity does not become by a key alone', async () => {
    const platforms = await service.app(['api']);
    const operator = await service.admin();

    const json = { name: 'Changed', network_api_key: 'a key' };
    const reply = await operator.ask('PATCH', `/v2/admin/apps/${platforms.appId}`, { json });

    expectApiError(reply, 'V2_APP_CREDENTIALS_MISMATCH');
    const { body } = await operator.ask('GET', '/v2/admin/apps?limit=500');
    const [{ name }] = body.filter(({ app_id }: { app_id: string }) => app_id === platforms.appId);
    expect(name).not.to.equal('Changed');
  });

  it('fails when its own key is rejected, and nothing is created elsewhere', async () => {
    const outsider = await service.user(await tenantOf(fresh('entity'), 'a wrong key'));

    await outsider.ask('POST', '/v2/payments/free', { json: tierDemo });

    const account = await accountIn(outsider.ask, 'subaccount_failed');
    expect(account.failure_reason).to.equal('venue_auth');
    const { body } = await atValidator(`/entity/${KEYS.entityHotkey}`);
    expect(Object.keys(body.entity.subaccounts)).to.deep.equal(['0']);
  });
});
