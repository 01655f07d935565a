import { expect } from 'chai';
import { sql } from 'slonik';
import { readConfig } from '../../src/config.ts';
import { startWeb } from '../../src/runtime/web-process.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { addressedAs } from '../support/postgres.ts';
import { logLines, startService, type TestService } from '../support/service.ts';

/** As with the settings of staging: there an order that rests is unknown, and was reported as cancelled; one in doubt as not carried out. */
describe('processes with another network than that of their database', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const start = { web: startWeb, worker: startWorker };
  const started = async (kind: keyof typeof start, settings: Record<string, string>) => {
    const running = await start[kind](
      readConfig(addressedAs(kind, { ...service.settings, ...settings })),
      logLines().logger,
    );
    await running.stop();
  };
  const failure = (...given: Parameters<typeof started>) =>
    started(...given).then(
      () => null,
      (error: Error) => error.message,
    );

  for (const kind of ['web', 'worker'] as const)
    for (const [setting, network] of [
      ['EXVENUE_NETWORK', 'mainnet'],
      ['REGISTRAR_NETWORK', 'eip155:84532'],
    ] as const)
      it(`do not start, and say which setting it is: ${kind}, ${setting}`, async () => {
        expect(await failure(kind, { [setting]: network })).to.match(
          new RegExp(`^Setting ${setting}: .* own_networks`),
        );
        expect(await failure(kind, {})).to.equal(null);
      });

  it('start after a deliberate move, and it is that of the database from then on', async () => {
    await service.db.query(sql.unsafe`delete from own_networks where setting = 'EXVENUE_NETWORK'`);

    expect(await failure('worker', { EXVENUE_NETWORK: 'mainnet' })).to.equal(null);

    expect(await failure('web', {})).to.match(/^Setting EXVENUE_NETWORK: .* mainnet/);
  });

  it('start where a later release has noted something else', async () => {
    await service.db.query(
      sql.unsafe`insert into own_networks (setting, network) values ('PROCESSOR_SECRET_KEY', 'acct_other live')`,
    );

    expect(await failure('web', { EXVENUE_NETWORK: 'mainnet' })).to.equal(null);
  });

  it('start where it cannot be compared', async () => {
    await service.db.query(sql.unsafe`alter table own_networks rename to own_networks_before`);

    expect(await failure('worker', {})).to.equal(null);

    await service.db.query(sql.unsafe`alter table own_networks_before rename to own_networks`);
  });
});
