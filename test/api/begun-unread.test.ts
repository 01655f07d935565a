import { expect } from 'chai';
import { asking, bearer, fresh, type TestApp } from '../support/identity.ts';
import { type LostResponses, loseResponses } from '../support/lost-response.ts';
import { accountIn, type Money, startMoney, tierDemo } from '../support/money.ts';
import { effectsOf, market, positionsOf } from '../support/orders.ts';
import { KEYS } from '../support/service.ts';

/** What is read between the commit that begins to send and the first byte: if it fails, nothing was sent. */
describe('a worker whose connection breaks after it began to send, before the first byte', function () {
  this.timeout(60_000);
  let service: Money;
  let verbs: LostResponses;
  let miners: LostResponses;
  before(async () => {
    verbs = loseResponses('network/edit'); // those under way
    miners = loseResponses('network_identity');
    service = await startMoney();
  });
  after(async () => {
    miners.restore();
    verbs.restore();
    await service.stop();
  });
  const loseNext = (reads: LostResponses, toSpare: number) => Object.assign(reads, { toSpare, toLose: 1, lost: 0 });

  async function ownMiner(): Promise<TestApp> {
    const entity = fresh('entity');
    const json = { name: 'Own miner', slug: entity, scopes: ['api'], entity_hotkey: entity };
    const key = { network_api_key: `${KEYS.minerKey}:${entity}` };
    const made = await (await service.admin()).ask('POST', '/v2/admin/apps', { json: { ...json, ...key } });
    const app = { appId: made.body.app_id, secret: made.body.client_secret };
    const { body } = await service.token(app);
    return { ...app, token: body.access_token, ask: asking(service.url, bearer(body.access_token)) };
  }

  it('closes a position soon, once', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market());
    loseNext(verbs, 1); // they are read once before the commit

    const { status, body } = await trader.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' });

    expect(verbs.lost).to.equal(1);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await positionsOf(service, trader)).to.deep.equal([]);
    expect(effectsOf(service, trader)).to.have.length(2);
  });

  it('creates an account at the miner of its tenant, and sends an order there, once', async () => {
    const trader = await service.user(await ownMiner());
    loseNext(miners, 1); // it is read once before the commit

    await trader.ask('POST', '/v2/payments/free', { json: tierDemo });
    const account = await accountIn(trader.ask, 'evaluation', 'subaccount_failed');
    expect(miners.lost).to.equal(1);
    expect(account).to.include({ status: 'evaluation' });
    loseNext(miners, 0);
    const order = await trader.ask('POST', '/v2/trading/orders', { json: market() });

    expect(miners.lost).to.equal(1);
    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    const effects = service.miner.ledger.entries().filter(({ key }) => key === order.body.order_uuid);
    expect(effects).to.have.length(1);
  });
});
