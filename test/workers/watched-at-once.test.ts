import { expect } from 'chai';
import { type WatchDeps, watchAccount } from '../../src/capabilities/trading/watch/watch.ts';
import { atOnce } from '../../src/kernel/at-once.ts';
import { ACCOUNT, openWatchedAccount, type WatchedAccount } from '../support/watched-account.ts';

const UNREADABLE = { kind: 'unreadable' as const, why: 'slow' };

/** Every order that ends plans a reading at once, also while another is under way. */
describe('a reading of a watched account, beside another one', () => {
  let intentDb: WatchedAccount['intentDb'];
  let db: WatchedAccount['db'];
  let close: WatchedAccount['close'];
  before(async () => {
    ({ intentDb, db, close } = await openWatchedAccount());
    await intentDb.query(
      `insert into account_watches (prop_account_id, listened_until) values ('${ACCOUNT}', now() + interval '1 hour')`,
    );
  });
  beforeEach(() => intentDb.query('delete from queue_jobs'));
  after(() => close());

  /** Reads the account, while `meanwhile` happens. */
  const read = (meanwhile: () => Promise<unknown>) => {
    const dashboardNow = async () => {
      await meanwhile();
      return UNREADABLE;
    };
    const watching = atOnce(2, { longestMs: 10_000, mostWaiting: 2 });
    const deps = { db, watching, reads: { dashboardNow }, config: { TRADING_WATCH_MS: 60_000 } };
    return watchAccount(ACCOUNT, deps as unknown as WatchDeps); // as: what it reads
  };
  const planned = () =>
    intentDb.query(`select run_at <= now() as is_due from queue_jobs where key = 'trading/watch:${ACCOUNT}'`);

  it('plans the next one for later', async () => {
    await read(async () => {});

    expect(await planned()).to.deep.equal([{ is_due: false }]);
  });

  it('puts off none that was planned while it read', async () => {
    await read(() => intentDb.query('select plan_watch($1, 0)', [ACCOUNT]));

    expect(await planned()).to.deep.equal([{ is_due: true }]);
  });

  it('is repeated at once, if the other one was recorded first: that may have read earlier', async () => {
    await read(() => read(async () => {}));

    expect(await planned()).to.deep.equal([{ is_due: true }]);
  });
});
