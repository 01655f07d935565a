import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { newIntentId } from '../../src/kernel/ids.ts';
import type { Caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { loseSince, recover } from '../support/restored.ts';
import { readScrape } from '../support/scrape.ts';
import { KEYS, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const { order_uuid: _, ...unnamed } = { order_uuid: '', ...market() };

describe('a database behind the world, noticed while the service runs', function () {
  this.timeout(60_000);
  let service: TestService;
  let trader: Caller & { traderId: string };
  beforeEach(async () => {
    service = await startService();
    trader = await service.trader();
  });
  afterEach(() => service.stop());

  const alerts = () => service.log.lines.filter(({ alert, orders }) => alert === 'database_behind' && orders);
  const restore_evidence = () =>
    service.db.any(
      sql.type(z.object({ id: z.string(), kind: z.string() }))`select id::text, kind from ops.restore_evidence`,
    );
  /** Reads as a caller does, and compares what the venues showed. */
  const compare = async () => {
    service.runtime.reads.forgetTrader(null);
    const { status } = await trader.get('/v1/positions/netvenue');
    expect(status).to.equal(200);
    await service.runtime.behind.compare();
  };
  const atMiner = (order_uuid: string) =>
    fetch(`${service.miner.minerUrl}/api/submit-order`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.minerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...unnamed, order_uuid, subaccount_id: Number(trader.traderId) }),
    });

  it('by an order under an id of this service that the database does not have, until it is recovered', async () => {
    await compare();
    const since = new Date().toISOString();
    const { body } = await trader.post(ORDERS, unnamed);
    await loseSince(service, since);

    await compare();

    expect(await restore_evidence()).to.deep.equal([{ id: body.order_uuid, kind: 'unknown' }]);
    expect(alerts()).to.have.length(1);
    expect(alerts()[0]).to.deep.include({ level: 50, orders: [`unknown ${body.order_uuid}`] });
    expect(readScrape(await service.runtime.metrics.scrape()).families).to.include('tps_database_behind');
    await recover(service, since);
    await compare();
    expect([await restore_evidence(), alerts().length]).to.deep.equal([[], 1]);
  });

  it('by an order that the database shows as never sent: it is then looked for, not sent', async () => {
    const { headers } = await trader.post(ORDERS, { ...unnamed, order_uuid: randomUUID() });
    const id = String(headers['intent-id']);
    await service.stopWorkers();
    await service.db.query(sql.unsafe`
      update intents
      set state = 'queued', sending_at = null, sent_payload = null, settled_at = null, outcome = null,
        deadline_at = now() + interval '1 minute'
      where id = ${id}`);
    const before = service.miner.ledger.entries().length;

    await compare();

    expect(await restore_evidence()).to.deep.equal([{ id: id, kind: 'unsent' }]);
    await service.db.query(
      sql.unsafe`select graphile_worker.add_job('network/place', json_build_object('intent_id', ${id}::text))`,
    );
    await service.startWorker();
    await until(
      'the order to be found',
      async () => (await trader.get(`/v1/intents/${id}`)).body.state === 'succeeded',
    );
    expect(service.miner.ledger.entries()).to.have.length(before);
  });

  it('by an order at the exchange, too', async () => {
    const wallet = await service.wallet();
    const since = new Date().toISOString();
    const resting = { pair: 'BTC', side: 'long', order_type: 'limit', size: '0.01', price: 90_000 };
    const { body } = await wallet.post('/v1/orders/exvenue', resting);
    await loseSince(service, since);
    service.runtime.reads.forgetTrader(null);
    expect((await wallet.get('/v1/orders/exvenue')).body).to.have.length(1);

    await service.runtime.behind.compare();

    expect(await restore_evidence()).to.deep.equal([{ id: body.client_order_id, kind: 'unknown' }]);
  });

  it("is not raised by other software's orders, by orders in flight, by pruned ones, nor by what is known", async () => {
    for (const id of [randomUUID(), '01890a5d-ac96-774b-bcce-b302099a8057', newIntentId(Date.now() - 30 * 86_400_000)])
      expect((await atMiner(id)).status).to.equal(200);
    await trader.post(ORDERS, unnamed);
    service.miner.faults.add({ kind: 'accept_then_drop', route: '/miner/api/submit-order', times: 1 });
    await trader.post(ORDERS, unnamed, { prefer: 'wait=0' });
    for (let times = 0; times < 20; times += 1) await compare();
    await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    await compare();

    expect([await restore_evidence(), alerts()]).to.deep.equal([[], []]);
    await atMiner(newIntentId());
    await compare();
    expect(await restore_evidence(), 'an id of this service in the same place').to.have.length(1);
  });
});
