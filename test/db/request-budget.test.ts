import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { requestBudget } from '../../src/db/request-budget.ts';
import type { Bucket, BudgetLedger } from '../../src/kernel/shared-upstream.ts';
import { freshDatabase } from '../support/postgres.ts';

const BUCKET = { burst: 100, perSecond: 10 };
const ANYONE = { tenant: '', spare: 0 };

describe('the request budget of all processes', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pools: DbPool[];
  before(async () => {
    database = await freshDatabase();
    pools = await Promise.all([1, 2, 3].map(() => openPool(database.url, 2, () => {})));
  });
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });

  const processes = (name: string, bucket = BUCKET): BudgetLedger[] =>
    pools.map((pool) => requestBudget(pool, name, bucket));
  const first = (name: string, bucket: Bucket = BUCKET) => requestBudget(pools[0] as DbPool, name, bucket); // as: there are three
  const spend = async (ledger: BudgetLedger, weight: number, keep = 0) =>
    (await ledger.spend([{ weight, keep, ...ANYONE }])).spent.length;
  const secondsSince = (pool: DbPool | undefined, at: string) =>
    pool?.oneFirst(sql.type(z.object({ age: z.number() }))`
      select extract(epoch from clock_timestamp() - ${at}::timestamptz)::double precision age`);
  /** Moves the bucket's row into the past: so much time has passed for it. */
  const pass = (name: string, seconds: number) =>
    pools[0]?.query(sql.type(z.object({}))`
      update request_budgets
      set counted_at = counted_at - make_interval(secs => ${seconds})
      where name = ${name}`);

  it('is one bucket: what one process leaves, another may spend, and no more', async () => {
    const [one, two, three] = processes('shared', { ...BUCKET, perSecond: 0.001 }) as [
      BudgetLedger,
      BudgetLedger,
      BudgetLedger,
    ];

    const spent = [await spend(one, 60), await spend(two, 40), await spend(three, 1)];

    expect(spent).to.deep.equal([1, 1, 0]);
  });

  it('never grants more than its capacity and its refill to any number of processes', async () => {
    const bucket = { burst: 50, perSecond: 200 };
    const ledgers = processes('crowd', bucket);
    const startedAt = await pools[0]?.oneFirst(sql.type(z.object({ at: z.string() }))`select clock_timestamp() at`);
    let granted = 0;
    const work = async (ledger: BudgetLedger) => {
      for (let n = 0; n < 60; n += 1) {
        const spent = await spend(ledger, 3);
        granted += 3 * spent;
      }
    };

    await Promise.all([...ledgers, ...ledgers].map(work));

    const seconds = await secondsSince(pools[0], String(startedAt));
    expect(granted).to.be.at.least(48);
    expect(granted).to.be.at.most(bucket.burst + bucket.perSecond * Number(seconds));
  });

  it('is refilled with time up to its capacity', async () => {
    const ledger = first('refilled', { burst: 100, perSecond: 0.5 });
    await spend(ledger, 100);

    await pass('refilled', 100);
    const half = [await spend(ledger, 50), await spend(ledger, 5)];
    await pass('refilled', 10_000);
    const full = [await spend(ledger, 100), await spend(ledger, 5)];

    expect([half, full]).to.deep.equal([
      [1, 0],
      [1, 0],
    ]);
  });

  it('spends in order up to the first weight that is not covered, and says how long until it is', async () => {
    const ledger = first('ordered', { burst: 100, perSecond: 0.1 });
    const asked = [50, 30, 40, 1].map((weight) => ({ weight, keep: 0, ...ANYONE }));

    const { spent, waitMs } = await ledger.spend(asked);

    expect(spent).to.deep.equal([0, 1]);
    expect(waitMs).to.be.within(190_000, 200_000);
  });

  it('leaves what more urgent calls need', async () => {
    const ledger = first('kept', { burst: 100, perSecond: 0.001 });

    await spend(ledger, 10);

    const spent = [await spend(ledger, 31, 60), await spend(ledger, 30, 60), await spend(ledger, 60)];

    expect(spent).to.deep.equal([0, 1, 1]);
  });

  it('leaves a part to other tenants once one has spent more than its share, and is all its own while nobody else spends', async () => {
    const ledger = first('tenants', { burst: 100, perSecond: 1, allowance: 60 });
    const of = async (tenant: string, weight: number) =>
      (await ledger.spend([{ weight, keep: 10, spare: 20, tenant }])).spent.length;

    const many = [await of('many', 60), await of('many', 11)];
    const few = [await of('few', 20), await of('few', 11)];
    await pass('tenants', 100);
    const later = await of('many', 70);

    expect([many, few, later]).to.deep.equal([[1, 0], [1, 0], 1]);
  });

  it('measures a call by an allowance of its own', async () => {
    const ledger = first('allowance', { burst: 100, perSecond: 1, allowance: 60 });
    const call = { weight: 10, keep: 0, spare: 85, tenant: 'one' };

    const { spent } = await ledger.spend([call, { ...call, allowance: 19 }, call]);

    expect(spent).to.deep.equal([0, 2]);
  });

  it('gives one that is alone back half of the refill, so that the next one finds its part', async () => {
    const ledger = first('alone', { burst: 100, perSecond: 1, allowance: 60 });
    const ask = async (weight: number) =>
      (await ledger.spend([{ weight, keep: 10, spare: 50, tenant: 'alone' }])).spent.length;

    const begun = await ask(60);
    await pass('alone', 30);

    expect([begun, await ask(20), await ask(10)]).to.deep.equal([1, 0, 1]);
  });

  it('passes over a tenant beyond its share, and nobody overtakes within a tenant', async () => {
    const ledger = first('overtaking', { burst: 100, perSecond: 1, allowance: 60 });
    const call = (tenant: string, weight: number) => ({ weight, keep: 10, spare: 20, tenant });
    await ledger.spend([call('many', 65)]);

    const { spent, waitMs } = await ledger.spend([
      call('many', 10),
      call('many', 1),
      call('few', 20),
      call('few', 6),
      call('few', 1),
    ]);

    expect(spent).to.deep.equal([2]);
    expect(waitMs).to.be.within(500, 25_000);
  });

  it('covers a weight above its capacity when it is full', async () => {
    const ledger = first('large', { burst: 10, perSecond: 0.001 });

    expect([await spend(ledger, 12, 3), await spend(ledger, 1)]).to.deep.equal([1, 0]);
  });

  it('is overdrawn by later charges, and takes back what was not used, up to its capacity', async () => {
    const ledger = first('charged', { burst: 100, perSecond: 0.001 });
    await spend(ledger, 100);

    await ledger.charge(20);
    await ledger.charge(-10);
    const overdrawn = (await ledger.spend([{ weight: 1, keep: 0, ...ANYONE }])).waitMs;
    await ledger.charge(-1_000);
    const refunded = [await spend(ledger, 100), await spend(ledger, 1)];

    expect(overdrawn).to.be.within(10_900_000, 11_000_000);
    expect(refunded).to.deep.equal([1, 0]);
  });

  it('grants nothing to any process while the venue has asked for a pause', async () => {
    const [one, two] = processes('halted') as [BudgetLedger, BudgetLedger];
    await spend(one, 1);
    const halted = [await two.isHalted()];

    await one.halt(60_000);
    halted.push(await two.isHalted());
    const during = await two.spend([{ weight: 1, keep: 0, ...ANYONE }]);
    await pass('halted', 61);
    halted.push(await two.isHalted());
    const after = await spend(two, 1);

    expect(during.spent).to.deep.equal([]);
    expect(during.waitMs).to.be.within(50_000, 60_100);
    expect(after).to.equal(1);
    expect(halted).to.deep.equal([false, true, false]);
  });

  it('begins empty after a pause, which a shorter one does not shorten, and owes what it owed', async () => {
    const ledger = first('halted_twice', { burst: 100, perSecond: 1 });
    await spend(ledger, 1);

    await ledger.halt(50_000);
    await ledger.halt(1_000);
    const during = await ledger.spend([{ weight: 1, keep: 0, ...ANYONE }]);
    await pass('halted_twice', 51);
    const after = [await spend(ledger, 50), await spend(ledger, 1)];
    await ledger.charge(200);
    await ledger.halt(0);
    const owing = await ledger.spend([{ weight: 1, keep: 0, ...ANYONE }]);

    expect(during.waitMs).to.be.within(49_000, 51_100);
    expect(after).to.deep.equal([0, 1]);
    expect(owing.waitMs).to.be.above(190_000);
  });

  it('is waited for while another process has it, also by several calls at once', async () => {
    const ledger = first('held');
    await spend(ledger, 1);
    const held = Promise.withResolvers<void>();
    const holding = pools[1]?.transaction(async (tx) => {
      await tx.query(sql.type(z.object({}))`select from request_budgets where name = 'held' for update`);
      held.resolve();
      await sleep(800); // longer than a statement of several callers waits
    });
    await held.promise;

    const { spent } = await ledger.spend([1, 1].map((weight) => ({ weight, keep: 0, ...ANYONE })));

    await holding;
    expect(spent).to.deep.equal([0, 1]);
  });

  it('goes on within a minute where the clock of the server was set back', async () => {
    const ledger = first('set_back');
    await spend(ledger, 1);

    await pass('set_back', -3_600);
    const { waitMs } = await ledger.spend([{ weight: 1, keep: 0, ...ANYONE }]);
    await pass('set_back', 61);

    expect(waitMs).to.be.within(59_000, 60_100);
    expect(await spend(ledger, 1)).to.equal(1);
  });
});
