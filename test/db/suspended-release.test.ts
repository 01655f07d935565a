import { expect } from 'chai';
import { Client } from 'pg';
import { freshDatabase } from '../support/postgres.ts';
import { type Running, startProgram, until } from '../support/processes.ts';
import { testSettings } from '../support/service.ts';

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };
const LET_GO_MS = 15_000;

/** As a host that is paused or a container that is frozen does: its connections stay open, and its locks are held. */
describe('a release that is suspended while it holds the lock of a table', function () {
  this.timeout(90_000);

  it('lets go of it within seconds; the next release completes it', async () => {
    const database = await freshDatabase();
    const session = new Client({ connectionString: database.url });
    await session.connect();
    const settings = testSettings(database.url, NOWHERE);
    await session.query('drop trigger enrollments_emit on enrollments'); // so that a release makes it again
    const isWaiting = async () => (await session.query(waiting)).rowCount || null;

    await session.query('begin; lock table enrollments in row exclusive mode'); // the bodies that are checked before may write to it
    const release = startProgram('release', settings);
    await until('the release to wait for the table', isWaiting, 60_000);
    release.kill('SIGSTOP');
    await session.query('commit');
    const blockedAt = performance.now();
    await session.query(`set statement_timeout = ${LET_GO_MS + 10_000}`);
    await session.query('delete from enrollments').finally(() => release.kill('SIGCONT'));
    const blockedMs = performance.now() - blockedAt;
    const suspended = await release.exited;
    const next = await startProgram('release', settings).exited;
    const { rowCount } = await session.query(`select from pg_trigger where tgname = 'enrollments_emit'`);
    await session.end();
    await database.drop();

    expect(blockedMs).to.be.within(1_000, LET_GO_MS);
    expect(outcome(suspended, release)).to.equal(1);
    expect([next.code, rowCount]).to.deep.equal([0, 1]);
  });
});

const outcome = ({ code }: { code: number | null }, { lines }: Running) => code ?? lines.join('\n');

const waiting = `
  select
  from pg_locks l
  where l.relation = 'enrollments'::regclass and not l.granted
    and l.database = (select oid from pg_database where datname = current_database())`;
