import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { auditExits, type ExitAudit } from '../../src/venues/audit.ts';
import type { Compared } from '../../src/venues/exits.ts';
import { freshDatabase } from '../support/postgres.ts';

const LIVE: Compared = {
  comparison: { state: 'protected', side: 'long', size: '1', live: [], reason: 'exits_live', message: null },
  wanted: [],
  missing: [],
  isCertain: false,
};

describe('a turn of the audit of wanted exits', () => {
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
  afterEach(() => db.query(sql.unsafe`delete from wanted_exits`));

  const wants = (trader: string) =>
    db.query(sql.unsafe`
      insert into wanted_exits (venue, trader, pair, owner, due_at) values ('exvenue', ${trader}, 'BTC-USDC', 'ptn_1', now())`);
  const rowOf = (trader: string) =>
    db.one(sql.type(z.object({ is_compared: z.boolean(), is_due: z.boolean() }))`
      select compared_at is not null as is_compared, due_at is not null as is_due from wanted_exits where trader = ${trader}`);
  const isPlanned = () =>
    db.exists(sql.type(z.object({}))`select from queue_jobs where task = 'exchange/audit' and locked_at is null`);
  const audited = (compare: ExitAudit['compare']): Promise<void> =>
    auditExits(
      { db, config: { PROTECTION_REPAIR: 'tell' } },
      {
        venue: 'exvenue',
        pace: { burst: 100, perSecond: 100 },
        ...{ confirmS: 0, closedAfterS: 0, compare },
        findBusy: async () => null,
        repairOf: async () => null,
        recordShown: async () => {},
      },
    );

  it('is the turn of all others too when one trader cannot be compared, and the next one is planned', async () => {
    for (const trader of ['a', 'b', 'c']) await wants(trader);
    const turn = audited(async (trader, rows) => {
      if (trader === 'a') throw new Error('one trader');
      await new Promise((resolve) => setTimeout(resolve, 50));
      return rows.map((row) => [row, { ...LIVE, wanted: row.wanted }] as const);
    });

    const failed = await turn.catch((error: Error) => error.message);

    expect(failed).to.equal('one trader');
    expect((await rowOf('b')).is_compared).to.equal(true);
    expect((await rowOf('c')).is_compared).to.equal(true);
    expect(await isPlanned()).to.equal(true);
  });

  it('spends nothing of the pace that all processes share when nothing is due, and the next one is planned', async () => {
    await wants('a');
    await db.query(sql.unsafe`update wanted_exits set due_at = now() + interval '1 minute'`);
    await db.query(sql.unsafe`delete from request_budgets`);

    await audited(() => expect.fail('nothing is due'));

    expect(await db.exists(sql.unsafe`select from request_budgets`)).to.equal(false);
    expect(await isPlanned()).to.equal(true);
  });

  it('does not revive what was withdrawn while the venue showed an older state', async () => {
    await wants('a');

    await audited(async (trader, rows) => {
      await db.query(sql.unsafe`update wanted_exits set due_at = null, version = version + 1 where trader = ${trader}`);
      return rows.map((row) => [row, null] as const);
    });

    expect((await rowOf('a')).is_due).to.equal(false);
  });
});
