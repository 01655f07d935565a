import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

describe('an attempt against several budgets', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate throttles'));

  /** What remains of each budget after one attempt; a budget's subject is its own name. */
  const spend = async (budgets: Record<string, number>, session: DbSession = intentDb) => {
    const batch = Object.entries(budgets).map(([name, budget]) => ({
      ...{ name, budget, subject: Buffer.from(name).toString('hex'), base_s: 60, longest_s: 120 },
    }));
    const rows = await session.query<{ name: string; remaining: number }>('select * from spend($1)', [
      JSON.stringify(batch),
    ]);
    return Object.fromEntries(rows.map(({ name, remaining }) => [name, remaining]));
  };

  it('that exceeds one of them spends nothing of the others', async () => {
    const both = { own: 2, shared: 10 };

    expect(await spend(both)).to.deep.equal({ own: 1, shared: 9 });
    expect(await spend(both)).to.deep.equal({ own: 0, shared: 8 });
    for (let n = 0; n < 20; n += 1) expect(await spend(both)).to.deep.equal({ own: -1, shared: 8 });
    expect(await spend({ shared: 10 })).to.deep.equal({ shared: 7 });
  });

  it('is counted exactly by concurrent callers: the shared budget loses what was admitted', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => intentDb.session()));
    const budgets = { shared: 100, own: 5 }; // also named in another order
    const left = await Promise.all(sessions.map((session) => inTurn(6, () => spend(budgets, session))));

    expect(left.flat().filter(({ own }) => own !== undefined && own >= 0)).to.have.length(5);
    expect(await spend({ shared: 100 })).to.deep.equal({ shared: 94 });
  });
});

async function inTurn<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < times; n += 1) results.push(await run());
  return results;
}
