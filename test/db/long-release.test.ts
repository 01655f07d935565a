import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { freshDatabase } from '../support/postgres.ts';

const TAKES_MS = 1_000;

describe('a release with a statement that takes longer than the limit of its role', () => {
  it('completes it, because web behind a pooler has such a limit and a release may use the same role', async () => {
    const database = await freshDatabase();
    const session = new Client({ connectionString: database.url });
    await session.connect();
    await session.query('drop trigger enrollments_emit on enrollments'); // so that a release makes it again
    await session.query(
      `do $$ begin execute format('alter database %I set statement_timeout = ${TAKES_MS / 4}', current_database()); end $$`,
    );
    await session.query('set statement_timeout = 0; begin; lock table enrollments in share mode'); // the release waits for it, as it would for an index
    const freed = sleep(TAKES_MS).then(() => session.query('commit'));

    const error = await migrate(database.url, () => {}, { lockMs: 10 * TAKES_MS, attempts: 1 }).catch(
      (thrown) => thrown,
    );
    await freed;
    const { rowCount } = await session.query(`select from pg_trigger where tgname = 'enrollments_emit'`);
    await session.end();
    await database.drop();

    expect([error, rowCount]).to.deep.equal([undefined, 1]);
  }).timeout(30_000);
});
