import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { STALE_MS } from '../support/portfolio.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('a position at the network', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function protect(trader: Caller, exits: object) {
    const reply = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', ...exits });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    await sleep(STALE_MS);
    const { take_profit, stop_loss } = (await trader.get('/v1/positions/netvenue')).body[0];
    return { take_profit, stop_loss };
  }

  it('is shown with exits only while they cover all of it: at the price that is reached first', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ quantity: 0.01 }));

    const part = await protect(trader, { stop_loss: 80_000, take_profit: 130_000, quantity: 0.004 });
    const all = await protect(trader, { stop_loss: 90_000, quantity: 0.006 });
    const whole = await protect(trader, { stop_loss: 85_000 });

    expect(part).to.deep.equal({ take_profit: null, stop_loss: null });
    expect(all).to.deep.equal({ take_profit: null, stop_loss: '90000' });
    expect(whole).to.deep.equal({ take_profit: null, stop_loss: '85000' });
  });

  it('has the reverse order of prices if it is short', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ quantity: 0.01, order_type: 'SHORT' }));

    await protect(trader, { stop_loss: 130_000, take_profit: 80_000, quantity: 0.005 });
    const all = await protect(trader, { stop_loss: 120_000, take_profit: 90_000, quantity: 0.005 });

    expect(all).to.deep.equal({ take_profit: '90000', stop_loss: '120000' });
  });
});
