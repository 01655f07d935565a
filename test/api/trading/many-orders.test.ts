import { expect } from 'chai';
import { limit } from '../../support/orders.ts';
import { startTrading, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;
const MOST_RESTING = 100; // of one trader, at the network

describe('a trader with as many resting orders as the network takes, and one on its way', () => {
  let service: Trading;
  before(async () => {
    service = await startTrading({ settings: { NETVENUE_SIGNALS_PER_MIN: '1000' } });
  });
  after(() => service.stop());

  it('sees all of them on the desk, the oldest too', async () => {
    const trader = await service.propTrader();
    const place = async (prefer?: string) =>
      (await trader.ask('POST', ORDERS, { json: limit(), ...(prefer && { headers: { Prefer: prefer } }) })).body;
    const placed = [await place()];
    while (placed.length < MOST_RESTING) placed.push(...(await Promise.all(Array.from({ length: 11 }, () => place()))));
    const underWay = await place('wait=0');

    const { body } = await trader.ask('GET', `${TRADING}/desk-poll`);

    const uuids = body.orders.map(({ order_uuid }: { order_uuid: string }) => order_uuid);
    expect(uuids).to.have.members([...placed, underWay].map(({ order_uuid }) => order_uuid));
  }).timeout(120_000);
});
