import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import PQueue from 'p-queue';
import { caller } from '../support/caller.ts';
import { startService, type TestService } from '../support/service.ts';

const TRADERS = 80;
const PATHS = ['/v1/balance', '/v1/balance/limits', '/v1/history/orders'];
const READS = TRADERS * PATHS.length;
const AT_ONCE = 4;
const TAKES_MS = 40;

describe('a read of the network beside a tenant that reads for all of its traders at once', function () {
  this.timeout(60_000);
  let service: TestService;
  let isBusy = false;
  const queue = new PQueue({ concurrency: AT_ONCE });
  const validator = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const forward = () => fetch(`${service.miner.validatorUrl}${request.url}`, { headers: { authorization } });
    const reply = await (isBusy ? queue.add(() => sleep(TAKES_MS).then(forward)) : forward());
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  });
  before(async () => {
    await new Promise<void>((resolve) => validator.listen(0, '127.0.0.1', resolve));
    const { port } = validator.address() as AddressInfo; // as: it listens on TCP
    service = await startService({ settings: { NETVENUE_VALIDATOR_URL: `http://127.0.0.1:${port}` } });
  });
  after(async () => {
    await service.stop();
    validator.closeAllConnections();
    validator.close();
  });

  it('waits for few of these reads', async () => {
    const [other, { key }] = [await service.trader(), await service.partner()];
    const owner = caller(service.url, key);
    const traders = await Promise.all(
      Array.from({ length: TRADERS }, async () => {
        const { body } = await owner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });
        return caller(service.url, key, { 'Trader-ID': String(body.subaccount.subaccount_id) });
      }),
    );
    await sleep(1_500); // what was read for the registrations is not cached any more
    isBusy = true;
    let done = 0;

    const flood = PATHS.flatMap((path) =>
      traders.map(async (trader) => {
        const { status } = await trader.get(path);
        done += 1;
        return status;
      }),
    );
    await sleep(100);
    const { status } = await other.get('/v1/balance');
    const before = done;
    const statuses = await Promise.all(flood);

    console.log(`    ${before} of ${READS} before it`);
    expect(status).to.equal(200);
    expect(before).to.be.below(READS / 2);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });
});
