import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { market } from '../support/orders.ts';
import { startProgram, until } from '../support/processes.ts';
import { backUp, recover } from '../support/restored.ts';
import { startService, type TestService } from '../support/service.ts';

const LATER = { headers: { Prefer: 'respond-async' } };
/** What a backup holds of intents, in an order in which it can be written. */
const TABLES = ['intents', 'orders', 'lanes', 'subaccounts', 'signer_nonces', 'idempotency_keys'];

describe('a database restored from a backup', function () {
  this.timeout(120_000);
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false, settings: { NETVENUE_IN_FLIGHT_MS: '1500' } });
  });
  after(() => service.stop());

  const states = () =>
    service.db.any(sql.type(z.object({ kind: z.string(), state: z.string(), effect: z.string() }))`
      select i.kind, i.state, i.effect
      from ops.intents i
      order by i.created_at`);
  const allSettled = async () => (await states()).every(({ state }) => state === 'succeeded' || state === 'failed');
  const effects = () => service.miner.ledger.entries().length + service.exchange.ledger.entries().length;

  it('never sends again what the backup shows as unsent: it is looked for, and what was done is recorded', async () => {
    await service.startWorker();
    const [trader, wallet] = [await service.trader(), await service.wallet()];
    await service.stopWorkers();
    const placed = await trader.post('/v1/orders/netvenue', market(), LATER);
    const exits = { take_profit: 120_000, stop_loss: 90_000 };
    const bought = { pair: 'BTC', side: 'long', order_type: 'market', size: '0.01', ...exits };
    const traded = await wallet.post('/v1/orders/exvenue', bought, LATER);
    const made = await trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 25_000 }, LATER);
    expect([placed, traded, made].map(({ status }) => status)).to.deep.equal([202, 202, 202]);
    const { since, restore } = await backUp(service, TABLES);

    await service.startWorker();
    await until('the lost time to pass', allSettled);
    const lost = await trader.post('/v1/orders/netvenue', market());
    const body = { ...market(), order_uuid: lost.body.order_uuid };
    await service.stopWorkers();
    const done = effects();
    await restore();
    const stdout = await recover(service, since);
    await service.startWorker();
    await until('everything to be settled', allSettled);

    expect(stdout).to.match(/network\/place {2}1 open/);
    expect(stdout).to.match(/subaccount {2}\S+ {2}crypto 25000: without an owner here/);
    expect(stdout).to.contain(`order  ${lost.body.order_uuid} of `);
    expect(stdout, 'the exits of a known order').not.to.contain(wallet.wallet);
    expect(await states()).to.deep.include.members(
      ['network/place', 'exchange/place', 'accounts/provision'].map((kind) => ({
        ...{ kind, state: 'succeeded', effect: 'done' },
      })),
    );
    expect((await states()).filter(({ effect }) => effect !== 'done')).to.deep.equal([]);
    expect(effects(), 'effects at the venues').to.equal(done);
    const again = await trader.get(`/v1/orders/netvenue/${placed.body.order_uuid}`);
    expect(again.body).to.include({ status: 'completed' });

    await service.stopWorkers();
    const retried = await trader.post('/v1/orders/netvenue', body, LATER);
    await service.db.query(sql.unsafe`update intents set deadline_at = now() where settled_at is null`);
    await service.startWorker();
    await until('the retry to be settled', allSettled);
    const read = await trader.get(`/v1/intents/${retried.headers['intent-id']}`);
    expect(read.body).to.include({ state: 'succeeded', effect: 'done' });
    expect(effects(), 'effects at the venues after a retry of what was lost').to.equal(done);
  });

  it('is noticed by a worker that starts on it: the network has subaccounts newer than all that it knows', async () => {
    const { lines } = service.log;
    const alerts = () => lines.filter(({ alert }) => alert === 'database_behind');
    const trader = await service.trader();
    await service.stopWorkers();
    expect(alerts()).to.deep.equal([]);
    await service.db.query(sql.unsafe`delete from subaccounts where subaccount_id = ${trader.traderId}::integer`);

    await service.startWorker();
    await until('the alert', () => alerts().length > 0);

    expect(alerts()[0]).to.include({ level: 50, subaccounts: 1 });
  });

  it('is left alone by a worker in RECOVERY_MODE', async () => {
    const trader = await service.trader();
    await service.stopWorkers();
    const order = await trader.post('/v1/orders/netvenue', market(), LATER);
    const worker = startProgram('worker', { ...service.settings, RECOVERY_MODE: 'true', LOG_LEVEL: 'info' });
    await worker.waitForLine(/RECOVERY_MODE is set/);
    await worker.waitForLine(/"runners":\[\]/);
    worker.kill('SIGTERM');

    expect((await worker.exited).code).to.equal(0);
    const kept = await trader.get(`/v1/intents/${order.headers['intent-id']}`);
    expect(kept.body).to.include({ state: 'queued', effect: 'none' });
  });
});
