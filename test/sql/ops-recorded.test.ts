import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

/** Functions that find nothing to act on and then have no row to show for it: nothing is recorded of an id that names nothing. */
const WITHOUT_A_ROW = ['rerun', 'rerun_job'];
/** A function that takes words instead of an id, and throws at one that names nothing. */
const OF_WORDS = 'rerun_all';

describe('what an operator asks for in psql under an id that names nothing', () => {
  let intentDb: IntentDatabase;
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = await intentDb.session();
    await operator.query('set role trading_operator');
  });
  after(() => intentDb.close());

  it('is rejected and recorded, by every function that takes a name and a reason', async () => {
    const functions = await intentDb.query<{ name: string; types: string[] }>(
      `select p.proname as name, array(
         select t::regtype::text
         from unnest(p.proargtypes[0:p.pronargs - p.pronargdefaults - 1]) with ordinality as a (t, n)
         order by a.n
       ) as types
       from pg_proc p
       where p.pronamespace = 'ops'::regnamespace and p.prosecdef and 'who' = any(p.proargnames) and 'why' = any(p.proargnames)
         and p.proname <> $1
       order by 1`,
      [OF_WORDS],
    );
    const sample: Record<string, string> = { uuid: 'gen_random_uuid()', bigint: '0', text: `'ada'` };

    expect(functions.length).to.be.above(15);
    for (const { name, types } of functions) {
      const before = await recorded();
      await operator.query(`select ops.${name}(${types.map((type) => sample[type]).join(', ')})`);
      expect((await recorded()) - before, name).to.equal(WITHOUT_A_ROW.includes(name) ? 0 : 1);
    }
  });

  it('does not read as if an operator had no open session', async () => {
    const ended = await operator.query(
      `select ops.end_operator_sessions('adda@example.com', 'ada', 'stolen') as ended`,
    );

    expect(ended).to.deep.equal([{ ended: null }]);
  });

  it('is not done either of an event that nobody has to look at', async () => {
    await intentDb.query(
      `insert into processor_events (id, type, said_at, fact, source, acted_at, outcome)
       values ('evt_1', 'payment_intent.succeeded', now(), '{}', 'listed', now(), 'applied')`,
    );

    const dismissed = await operator.query(
      `select ops.dismiss_event('evt_1', 'ada', 'read in the dashboard') as verdict`,
    );

    expect(dismissed).to.deep.equal([{ verdict: 'not_open' }]);
  });

  const recorded = async () =>
    (await operator.query<{ count: number }>('select count(*)::integer as count from ops.actions'))[0]?.count ?? 0;
});
