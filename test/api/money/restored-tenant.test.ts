import { expect } from 'chai';
import { sql } from 'slonik';
import { asking, bearer, fresh } from '../../support/identity.ts';
import { accountIn, eventually, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { loseSince, recover } from '../../support/restored.ts';
import { KEYS } from '../../support/service.ts';

describe('a tenant with its own network identity in a restored database', function () {
  this.timeout(60_000);
  let service: Money;
  before(async () => {
    service = await startMoney();
  });
  after(() => service.stop());

  it("is recovered from its own miner's records", async () => {
    const operator = await service.admin();
    const entity = fresh('entity');
    const json = { name: 'Own', slug: fresh('tenant'), scopes: ['api'], entity_hotkey: entity };
    const network_api_key = `${KEYS.minerKey}:${entity}`;
    const made = await operator.ask('POST', '/v2/admin/apps', { json: { ...json, network_api_key } });
    const app = { appId: made.body.app_id, secret: made.body.client_secret };
    const { access_token: token } = (await service.token(app)).body;
    const tenant = { ...app, token, ask: asking(service.url, bearer(token)) };
    const [trader, other] = [await service.user(tenant), await service.user(tenant)];
    await trader.ask('POST', '/v2/payments/free', { json: tierDemo });
    const { synthetic_hotkey } = await accountIn(trader.ask, 'evaluation');
    const since = new Date().toISOString();
    const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.1 };
    const placed = await trader.ask('POST', '/v2/trading/orders', { json: order });
    await other.ask('POST', '/v2/payments/free', { json: tierDemo });
    const lost = await accountIn(other.ask, 'evaluation');
    await loseSince(service, since);

    await service.stopWorkers();
    await service.startWorker();
    const alerts = () => service.log.lines.filter(({ alert }) => alert === 'database_behind');
    await eventually(async () => alerts().length > 0);
    expect(alerts()[0], 'what a worker says that starts on it').to.include({ subaccounts: 1 });

    const stdout = await recover(service, since);

    expect(stdout).to.contain(`order  ${placed.body.order_uuid} of ${synthetic_hotkey}: not known here`);
    expect(stdout).to.contain(`subaccount  ${lost.synthetic_hotkey}  crypto 10000: without an owner here`);

    await service.db.query(
      sql.unsafe`update apps set network_key = null, entity_hotkey = null where id = ${app.appId}`,
    );
    expect(await recover(service, since)).to.contain(`entity ${entity}  could not be read`);
  });
});
