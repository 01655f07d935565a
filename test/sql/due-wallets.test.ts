import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { takeDueWallets } from '../../src/venues/exchange/ledger/store.ts';
import { watchWallets } from '../../src/venues/exchange/ledger/watch.ts';
import { WAITING } from '../support/intent-database.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const PACE = { busyS: 5, idleS: 60 };
const AT_ONCE = 20;
const URGENT = AT_ONCE * 0.75;

describe('exchange wallets that are due', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: DbPool;
  before(async () => {
    database = await freshDatabase();
    db = await openPool(database.url, 4, () => {});
  });
  after(async () => {
    await db.end();
    await database.drop();
  });
  afterEach(async () => {
    await db.query(sql.unsafe`delete from orders`);
    await db.query(sql.unsafe`delete from exchange_cursors`);
    await db.query(sql.unsafe`delete from enrollments`);
    await db.query(sql.unsafe`delete from queue_jobs`);
  });

  /** Wallets that wait, the first one longest. */
  const due = (name: string, count: number, waitedS: number) =>
    db.query(sql.unsafe`
      insert into exchange_cursors (ex_wallet, read_to, due_at)
      select ${name} || n, now(), now() - make_interval(secs => ${waitedS}) + make_interval(secs => n / 1000.0)
      from generate_series(1, ${count}) n`);
  const ordersOf = (name: string, lifecycle: string, status: string) =>
    db.query(sql.unsafe`
      insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
      select gen_random_uuid(), 'exvenue', 'ptn_1', c.ex_wallet, 'BTC-USDC', c.ex_wallet, '{"pair": "BTC-USDC"}', ${lifecycle},
        jsonb_build_object('status', ${status}::text, 'trigger_status', 'pending_parent_fill')
      from exchange_cursors c
      where c.ex_wallet like ${name} || '%'`);
  const enrolledBy = (owner: string, name: string) =>
    db.query(sql.unsafe`
      insert into enrollments (owner, ex_wallet)
      select ${owner}, c.ex_wallet
      from exchange_cursors c
      where c.ex_wallet like ${name} || '%'`);
  const taken = async () =>
    (await takeDueWallets(db, AT_ONCE, PACE)).map(({ ex_wallet }) => ex_wallet.replace(/\d+$/, ''));
  const count = (names: string[], name: string) => names.filter((each) => each === name).length;

  it('are due at once for what is reported while they are being taken', async () => {
    await due('w', 1, 1);
    const apart = (text: string) => db.transaction((other) => other.any({ ...sql.unsafe``, sql: text }));
    let reported: Promise<unknown> | undefined;

    await db.transaction(async (tx) => {
      await takeDueWallets(tx, AT_ONCE, PACE);
      reported = apart(`select make_wallet_due('w1', 0)::text`);
      await Promise.race([reported, until('it waits', async () => (await apart(WAITING)).length > 0)]);
    });
    await reported;

    expect(await taken()).to.deep.equal(['w']);
  });

  for (const [lifecycle, status] of [
    ['resting', 'partial'],
    ['cancelled', 'cancelled'],
    ['filled', 'filled'],
  ] as const)
    it(`are taken first whose order is ${status} and has exits that are not found`, async () => {
      await due('waiting', 2 * AT_ONCE, 60);
      await due('urgent', 1, 1);
      await ordersOf('urgent', lifecycle, status);

      expect(await taken()).to.include('urgent');
    });

  it('never wait for urgent ones alone', async () => {
    await due('urgent', 2 * AT_ONCE, 60);
    await ordersOf('urgent', 'resting', 'partial');
    await due('waiting', 2 * AT_ONCE, 120);
    await ordersOf('waiting', 'resting', 'open');

    const names = await taken();

    expect([count(names, 'urgent'), count(names, 'waiting')]).to.deep.equal([URGENT, AT_ONCE - URGENT]);
  });

  for (const [status, they] of [
    ['open', 'rest'],
    ['partial', 'lack exits'],
  ] as const)
    it(`of one owner are taken, however many of another ${they} and have waited longer`, async () => {
      await due('many', 10 * AT_ONCE, 600);
      await due('one', 1, 1);
      for (const name of ['many', 'one']) {
        await ordersOf(name, 'resting', status);
        await enrolledBy(`ptn_${name}`, name);
      }

      expect(await taken()).to.include('one');
    });

  it('of several owners are taken in the turn of the one who has fewest', async () => {
    await due('many', 10 * AT_ONCE, 600);
    await due('shared', 1, 1);
    for (const name of ['many', 'shared']) {
      await ordersOf(name, 'resting', 'open');
      await enrolledBy('ptn_a', name);
    }
    await enrolledBy('ptn_b', 'shared');

    expect(await taken()).to.include('shared');
  });

  it('are of two owners in equal parts, while both have more', async () => {
    await due('many', 2 * AT_ONCE, 600);
    await due('few', AT_ONCE, 1);
    for (const name of ['many', 'few']) await ordersOf(name, 'resting', 'open');
    await enrolledBy('ptn_few', 'few');

    expect(count(await taken(), 'few')).to.equal(AT_ONCE / 2);
  });

  for (const [wallets, pauseS] of [
    [2 * AT_ONCE, 0],
    [1, 2],
  ] as const)
    it(`are looked for again after ${pauseS} s when ${wallets} were due`, async () => {
      await due('waiting', wallets, 60);
      await ordersOf('waiting', 'resting', 'open');

      await watchWallets({
        db,
        exvenue: weightless,
        config: { EXVENUE_READ_LAG_MS: 500, EXVENUE_BUDGET_PER_MINUTE: 10_000_000 },
      });

      const planned = sql.type(z.object({ in_s: z.number() }))`
        select extract(epoch from max(run_at) - now())::double precision in_s from queue_jobs where task = 'exchange/watch'`;
      expect((await db.one(planned)).in_s).to.be.within(pauseS - 1, pauseS + 0.1);
    });
});

/** An exchange that knows no wallet, and whose reads cost next to nothing beside its budget. */
const weightless = new Proxy({} as Exvenue, {
  get: () => async () => ({ kind: 'unreadable', why: 'a test' }),
}); // as: every read of it fails
