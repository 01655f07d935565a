import { expect } from 'chai';
import { freshDatabase } from '../support/postgres.ts';
import { runProgram, startProgram } from '../support/processes.ts';
import { testSettings } from '../support/service.ts';

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };

/** As after a promotion: the platform sets DATABASE_URL anew, and an address that was copied by hand still leads to the former database. */
describe('DATABASE_DIRECT_URL', function () {
  this.timeout(60_000);

  it('that leads to another database than DATABASE_URL prevents the start of every process', async () => {
    const [present, former] = [await freshDatabase(), await freshDatabase()];
    const settings = { ...testSettings(present.url, NOWHERE), DATABASE_DIRECT_URL: former.url };

    const ends = await Promise.all((['release', 'worker'] as const).map((each) => runProgram(each, settings)));
    await present.drop();
    await former.drop();

    expect(ends.map(({ code }) => code)).to.deep.equal([1, 1]);
    for (const { lines } of ends)
      expect(lines.join('\n')).to.match(/Setting DATABASE_DIRECT_URL: leads to another database than DATABASE_URL/);
  });

  it('that leads to the same database by another address is accepted', async () => {
    const database = await freshDatabase();
    const direct = new URL(database.url);
    direct.searchParams.set('application_name', 'direct');
    const settings = { ...testSettings(database.url, NOWHERE), DATABASE_DIRECT_URL: direct.href, LOG_LEVEL: 'info' };
    const worker = startProgram('worker', settings);

    const line = await worker.waitForLine(/worker is running/);
    worker.kill('SIGTERM');
    const { code } = await worker.exited;
    await database.drop();

    expect([line !== undefined, code]).to.deep.equal([true, 0]);
  });
});
