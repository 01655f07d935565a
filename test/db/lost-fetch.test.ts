import { expect } from 'chai';
import pg from 'pg';
import { effectsOf, market } from '../support/orders.ts';
import { startService } from '../support/service.ts';

describe('a worker whose connection breaks while it fetches a job', () => {
  const { query } = pg.Client.prototype;
  const asked = query as (...args: unknown[]) => unknown; // as: it has many forms
  const fetches = { toLose: 0, lost: 0 };

  before('breaks the connection of a statement that fetches a job, after its commit and before its response', () => {
    const losing = async (client: pg.Client, args: unknown[]) => {
      const result = await asked.apply(client, args);
      const { rowCount } = result as pg.QueryResult; // as: this one returns a promise
      if (!rowCount || fetches.lost >= fetches.toLose) return result;
      fetches.lost += 1;
      Reflect.get(client, 'connection').stream.destroy();
      throw new Error('Connection terminated unexpectedly');
    };
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const isFetch = String(Object(args[0]).name).startsWith('get_job');
      return isFetch ? losing(this, args) : asked.apply(this, args);
    } as typeof query; // as: passed on unchanged
  });
  after(() => {
    pg.Client.prototype.query = query;
  });

  it('gives the job back, and executes the order', async () => {
    const service = await startService();
    const trader = await service.trader();
    fetches.toLose = 1;

    const beganAt = performance.now();
    const order = await trader.post('/v1/orders/netvenue', market());
    const tookMs = performance.now() - beganAt;
    const effects = effectsOf(service, trader);
    await service.stop();

    expect(fetches.lost).to.equal(1);
    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    expect(tookMs).to.be.below(5_000);
    expect(effects).to.have.length(1);
  });
});
