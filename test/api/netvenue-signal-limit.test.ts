import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Reply } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

const PER_MINUTE = 10;

describe('a validator that takes ten signals of a trader in a minute', function () {
  this.timeout(90_000);
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { signalsPerMin: PER_MINUTE, cooldownMs: 0 },
      settings: { NETVENUE_SIGNALS_PER_MIN: String(PER_MINUTE) },
    });
  });
  after(() => service.stop());

  it('gets no more: entries beyond seven are rejected before anything is written, exits pass, and so do other traders', async () => {
    const [busy, other] = [await service.trader(), await service.trader()];
    const placed = [];
    for (let n = 0; n < 9; n++) placed.push(await busy.post(ORDERS, market()));

    expect(placed.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200, 200, 429, 429]);
    const [, , , , , , , over] = placed;
    expectProblem(over as Reply, 'RATE_LIMITED', { effect: 'none' });
    expect(Number(over?.headers['retry-after'])).to.be.within(40, 62);
    const startedAt = Date.now();
    const closed = await busy.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    expect(closed.status, JSON.stringify(closed.body)).to.equal(200);
    expect((await other.post(ORDERS, market())).status).to.equal(200);
    expect(Date.now() - startedAt).to.be.below(3_000);
    expect(service.miner.rateLimited()).to.equal(0);
  });
});

describe('a validator that takes less than the setting says', function () {
  this.timeout(90_000);
  const TAKEN = 2;
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { signalsPerMin: TAKEN, cooldownMs: 0 },
      settings: { NETVENUE_SIGNALS_PER_MIN: '10', NETVENUE_PATIENCE_MS: '13000' },
    });
  });
  after(() => service.stop());

  it('is asked three times by the miner, and each of them counts', async () => {
    const trader = await service.trader();
    for (let n = 0; n < TAKEN; n++) expect((await trader.post(ORDERS, market())).status).to.equal(200);
    await trader.post(ORDERS, market());

    const taken = await service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select max(cardinality(p.taken)) as count from paces p`);
    expect(taken).to.equal(TAKEN + 3);
  });
});
