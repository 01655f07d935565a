import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

describe('recall_postponed', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  /** What waits: readings, comparisons and the look-up of a doubt, due so much later. */
  async function waits(due: string): Promise<void> {
    await intentDb.query('truncate intents, lanes, exchange_cursors, wanted_exits cascade; delete from queue_jobs');
    const { id } = item();
    await intentDb.accept(item({ id }));
    const { fence } = (await intentDb.claim(id)) as Row; // as: it was queued
    await intentDb.query(`select begin_sending($1, $2, '{}')`, [id, fence]);
    await intentDb.finishJobs(id);
    await intentDb.markInDoubt(id, fence, 600);
    await intentDb.query(
      `insert into exchange_cursors (ex_wallet, read_to, due_at) values
      ('0x1', now(), now() + $1::interval), ('0x2', now(), 'infinity')`,
      [due],
    );
    await intentDb.query(
      `insert into wanted_exits (venue, trader, pair, owner, is_changed, due_at)
      select c.venue, 't', 'BTC', 'ptn_1', c.is_changed, now() + $1::interval
      from (values ('exvenue', true), ('netvenue', false)) as c (venue, is_changed)`,
      [due],
    );
    await intentDb.query(`update queue_jobs set run_at = now() + $1::interval`, [due]);
  }
  const recalled = async () => (await intentDb.query<{ n: number }>('select recall_postponed()::integer n'))[0]?.n;
  const late = async () =>
    (
      await intentDb.query<{ n: number }>(`
        select (select count(*) from exchange_cursors where due_at > now()) + (select count(*) from wanted_exits where due_at > now())
          + (select count(*) from queue_jobs where run_at > now()) as n`)
    )[0]?.n;

  it('makes due what is due hours later, since the clock of the server was set back, but for wallets that are read no more', async () => {
    await waits('3 hours');

    expect(Number(await recalled())).to.equal(4);
    expect(Number(await late())).to.equal(1);
  });

  it('leaves what is planned', async () => {
    await waits('10 minutes');

    expect(Number(await recalled())).to.equal(0);
    expect(Number(await late())).to.equal(5);
  });
});
