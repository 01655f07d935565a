import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { effectsOn } from '../support/exchange.ts';
import { type LostResponses, loseResponses } from '../support/lost-response.ts';
import { accountIn, type Money, startMoney, tierDemo } from '../support/money.ts';
import { effectsOf, market } from '../support/orders.ts';

/** The statement that begins to send commits, and its worker does not hear of it: nothing was sent, and nobody else can know. */
describe('a worker whose connection breaks as it begins to send', function () {
  this.timeout(60_000);
  let begun: LostResponses;
  let service: Money;
  before(async () => {
    service = await startMoney();
    begun = loseResponses('begin_sendings');
  });
  after(async () => {
    begun.restore();
    await service.stop();
  });
  const loseNext = () => Object.assign(begun, { toLose: 1, lost: 0 });
  afterEach(() => expect(begun.lost).to.equal(1));

  const made = () => service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length;

  it('sends an order to the network soon, once, and counts one signal of its trader', async () => {
    const trader = await service.trader();
    loseNext();

    const { status, body } = await trader.post('/v1/orders/netvenue', market());

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(effectsOf(service, trader)).to.have.length(1);
    const signals = sql.type(z.object({ n: z.number() }))`select sum(cardinality(taken))::integer as n from paces`;
    expect(await service.db.oneFirst(signals)).to.equal(1);
  });

  it('sends an order to the exchange soon, once', async () => {
    const wallet = await service.wallet();
    const order = { pair: 'BTC', side: 'long', order_type: 'market', size: '0.01' };
    loseNext();

    const { status, body } = await wallet.post('/v1/orders/exvenue', order);

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(effectsOn(service, wallet, 'action').filter(({ detail }) => detail.type === 'order')).to.have.length(1);
  });

  it('creates an account at the network, once', async () => {
    const before = made();
    loseNext();

    const { status, body } = await service.buyer.ask('POST', '/v2/payments/free', { json: tierDemo });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await accountIn(service.buyer.ask, 'evaluation', 'subaccount_failed')).to.include({ status: 'evaluation' });
    expect(made()).to.equal(before + 1);
  });
});
