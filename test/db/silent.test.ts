import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { batch } from '../../src/db/batch.ts';
import { databaseIsAway } from '../../src/db/conflicts.ts';
import { type DbPool, openPool, WEB_LIMITS } from '../../src/db/pool.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { type Line, lineTo } from '../support/lines.ts';
import { freshDatabase } from '../support/postgres.ts';

const CALLERS = 14;
const APART_MS = 200;
const SLOTS = 2; // fewer than callers wait at once

/** Callers that come one after the other while nothing responds: each waits for its turn, a slot, a connection or a response. */
describe('a database that is silent', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let line: Line;
  let db: DbPool;
  before(async () => {
    database = await freshDatabase();
    line = await lineTo(database.url);
  });
  beforeEach(async () => {
    line.restore();
    db = await openPool(line.url, SLOTS, () => {}, WEB_LIMITS);
    await Promise.all(Array.from({ length: SLOTS }, () => db.query(sql.unsafe`select pg_sleep(0.05)`)));
  });
  afterEach(() => db.end());
  after(async () => {
    await line.close();
    await database.drop();
  });

  const inTransaction = () =>
    db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select 1`);
    });
  const inBatch = () => {
    const read = batch(async (items: number[]) => {
      await db.query(sql.unsafe`select 1`);
      return items;
    });
    return () => read(1);
  };

  for (const [which, ask] of Object.entries({ transaction: () => inTransaction, batch: inBatch }))
    it(`keeps the caller of a ${which} waiting for less than 5 s`, async () => {
      const call = ask();
      line.silence('all');

      const waits = await Promise.all(
        Array.from({ length: CALLERS }, async (_, n) => {
          await sleep(n * APART_MS);
          const startedAt = performance.now();
          const error = await call().catch((fault: unknown) => fault);
          return { ms: performance.now() - startedAt, isAway: databaseIsAway(error) };
        }),
      );

      expect(Math.max(...waits.map(({ ms }) => ms))).to.be.below(4_900);
      expect(waits.filter(({ isAway }) => !isAway)).to.deep.equal([]);
    }).timeout(30_000);

  it('leaves a transaction whose first statement had a response the whole limit for the next', async () => {
    const slow = sql.unsafe`select pg_sleep(2.5)`;

    const ended = await db.transaction(async (tx) => {
      for (let n = 0; n < 2; n++) await tx.query(slow);
      return 'ended';
    });

    expect(ended).to.equal('ended');
  }).timeout(10_000);

  it('leaves an operator who has waited for the others the whole limit', async () => {
    const ask = () =>
      workingOn({ isOperator: true }, () => db.query(sql.unsafe`select pg_sleep(1.7)`)).then(
        () => 'read',
        () => 'rejected',
      );

    const read = await Promise.all([1, 2, 3, 4].map(ask)); // one after the other: the last begins after 5 s

    expect(read).to.deep.equal(['read', 'read', 'read', 'read']);
  }).timeout(15_000);
});
