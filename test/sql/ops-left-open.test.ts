import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt, operatorOf } from '../support/operator.ts';

const WAIT_MS = 8_000;

describe('an operator in psql who leaves a transaction open', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('keeps nobody from a lane for longer than 2 s, and has done nothing', async () => {
    const id = await intentAt(intentDb, 'queued', { lane: 'a' });
    await intentDb.finishJobs(id);
    const session = await intentDb.session();
    await session.query('begin');
    expect(await operatorOf(session).rerun(id)).to.include({ done: true });

    const [next] = await intentDb.accept(item({ lane: 'a' }));

    expect(next).to.include({ verdict: 'accepted' });
    expect(await intentDb.jobs()).to.deep.equal([]);
    expect(await operatorOf(intentDb).actions(id)).to.deep.equal([]);
    await session.query('commit').then(
      () => expect.fail('the transaction was still open'),
      () => {},
    );
  }).timeout(WAIT_MS);

  it('is cut off by every function that acts: each begins with the same check', async () => {
    const acting = await intentDb.query<{ name: string; checks: boolean }>(`
      select p.proname as name, p.prosrc ~ '(perform|select) ops\\.require_who_and_why\\(who, why\\);' as checks
      from pg_proc p
      where p.pronamespace = 'ops'::regnamespace and p.prosecdef and 'why' = any(p.proargnames)`);

    expect(acting).to.have.length.above(15);
    expect(acting.filter(({ checks }) => !checks)).to.deep.equal([]);
  });
});
