import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { limit } from '../../support/orders.ts';
import { startTrading, TRADING, type Trading } from '../../support/trading.ts';

type Listed = { order_uuid: string };

const ORDERS = `${TRADING}/orders`;
const MOST_RESTING = 100; // of one trader, at the network

describe('a trader with as many resting orders as the network takes', () => {
  let service: Trading;
  before(async () => {
    service = await startTrading({ settings: { NETVENUE_SIGNALS_PER_MIN: '1000' } });
  });
  after(() => service.stop());

  it('sees all of them on the desk, the oldest too, beside one on its way and as many in doubt', async () => {
    const trader = await service.propTrader();
    const place = async (prefer?: string) =>
      (await trader.ask('POST', ORDERS, { json: limit(), ...(prefer && { headers: { Prefer: prefer } }) })).body;
    const placed = [await place()];
    while (placed.length < MOST_RESTING) placed.push(...(await Promise.all(Array.from({ length: 11 }, () => place()))));
    const underWay = await place('wait=0');
    const resting = [...placed, underWay].map(({ order_uuid }) => order_uuid);
    const shown = async () =>
      (await trader.ask('GET', `${TRADING}/desk-poll`)).body.orders.map((order: Listed) => order.order_uuid);
    expect(await shown()).to.have.members(resting);
    await service.stopWorkers();

    const doubts = await service.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      with doubts as (
        insert into intents (id, kind, owner, state, request, digest, fence, attempts, deadline_at, lane, created_at)
        select gen_random_uuid(), i.kind, i.owner, 'in_doubt', i.request, i.digest, 1, 1, i.deadline_at, i.lane, now()
        from intents i
        cross join generate_series(1, ${MOST_RESTING})
        where i.id = ${resting[0]}
        returning id
      )
      insert into orders (id, venue, owner, trader, pair, handle, terms, created_at)
      select d.id, o.venue, o.owner, o.trader, o.pair, d.id::text, terms_of(o.id, o.terms), now()
      from orders o
      cross join doubts d
      where o.id = ${resting[0]}
      returning id`);

    expect(await shown()).to.have.members([...resting, ...doubts]);
  }).timeout(120_000);
});
