import { expect } from 'chai';
import { recover } from '../support/restored.ts';
import { startService, type TestService } from '../support/service.ts';

type Ended = { code: number; stdout: string };

describe('a recovery that could not read everything', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.trader();
    await service.wallet();
    await service.stopWorkers();
  });
  after(() => service.stop());

  const run = (settings: Record<string, string> = {}) =>
    recover({ settings: { ...service.settings, ...settings } }, new Date().toISOString()).then(
      (stdout): Ended => ({ code: 0, stdout }),
      ({ code, stdout }: Ended): Ended => ({ code, stdout }),
    );

  it('says so at its end and by its status, so that nobody lets workers run', async () => {
    for (const [upstream, route] of [
      [service.miner, '/orders/'],
      [service.miner, '/entity/'],
      [service.exchange, 'POST /info'],
    ] as const) {
      upstream.faults.add({ kind: 'status_500', route });
      const { code, stdout } = await run();
      upstream.faults.clear();

      expect(stdout, route).to.match(/could not be read: run this again\n[\s\S]*\nNot recovered: .*\n$/);
      expect(code, route).to.equal(1);
    }
    expect(await run()).to.have.property('code', 0);
  });

  it('takes a list that is not there for unread where this database knows subaccounts of it', async () => {
    const { code, stdout } = await run({ NETVENUE_VALIDATOR_URL: `${service.url}/elsewhere` });

    expect(stdout).to.match(/^subaccounts of \S+ {2}could not be read: run this again$/m);
    expect(code).to.equal(1);
  });
});
