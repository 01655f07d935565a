import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { atPace } from '../chaos/load.ts';
import { market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const NETWORK = '/v1/orders/netvenue';
const ENTRIES = 30;
const PER_SECOND = 20;
const SLOW_MS = 900; // not silent: the validator responds to every read
const SENT_WITHIN_S = 4.5; // reads, and their waits for one that ends; in the order of arrival: 7 s and more, or never

const waited = z.object({ s: z.number() });

describe('exits while the validator is slow', function () {
  this.timeout(90_000);
  let delayMs = 0;
  let service: TestService;
  const validator = createServer(async (request, response) => {
    await sleep(delayMs);
    const { authorization = '' } = request.headers;
    const reply = await fetch(`${service.miner.validatorUrl}${request.url}`, { headers: { authorization } });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  });
  before(async () => {
    await new Promise<void>((resolve) => validator.listen(0, '127.0.0.1', resolve));
    const { port } = validator.address() as AddressInfo; // as: it listens on TCP
    const NETVENUE_VALIDATOR_URL = `http://127.0.0.1:${port}`;
    service = await startService({ settings: { NETVENUE_VALIDATOR_URL, TRADING_CONCURRENCY: '8' } });
  });
  after(async () => {
    await service.stop();
    validator.closeAllConnections();
    validator.close();
  });

  it('are not read for behind the reads of entries', async () => {
    const others = await Promise.all(Array.from({ length: ENTRIES }, service.trader));
    const traders = await Promise.all(Array.from({ length: 5 }, service.trader));
    for (const trader of traders) expect((await trader.post(NETWORK, market({ leverage: 0.01 }))).status).to.equal(200);
    delayMs = SLOW_MS;
    let isOver = false;
    const flooding = atPace({ perSecond: PER_SECOND, goOn: () => !isOver }, async (n) =>
      others[n % ENTRIES]?.post(NETWORK, market({ leverage: 0.01 }), { prefer: 'wait=0' }).catch(() => null),
    );
    await sleep(2_000);

    for (const trader of traders) {
      const { status } = await trader.post(`${NETWORK}/close`, { trade_pair: 'BTCUSDC' }, { prefer: 'wait=0' });
      expect(status).to.equal(202);
      await sleep(500);
    }
    await sleep(6_000);
    isOver = true;
    await flooding;

    const waits = await service.db.anyFirst(sql.type(waited)`
      select extract(epoch from coalesce(sending_at, now()) - created_at)::float8 as s
      from intents
      where kind = 'network/close'`);
    delayMs = 0;
    expect(waits).to.have.length(5);
    expect(Math.max(...waits)).to.be.below(SENT_WITHIN_S);
  });
});
