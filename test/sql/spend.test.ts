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

describe('the window of a budget', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  type Window = { spent: number; level: number; ends: number; forgotten: number };
  /** What an attempt makes of a window of 2 attempts, of 60 s at first and 480 s at most. Times are seconds from now. */
  const afterOne = async ({ spent, level, ends, forgotten }: Window): Promise<Window> => {
    await intentDb.query('truncate throttles');
    await intentDb.query(
      `insert into throttles (name, subject, budget, base, longest, spent, level, ends_at, forget_at)
       values ('log_in', 'x', 2, '60 s', '480 s', $1, $2, now() + make_interval(secs => $3), now() + make_interval(secs => $4))`,
      [spent, level, ends, forgotten],
    );
    const item = { name: 'log_in', subject: Buffer.from('x').toString('hex'), budget: 2, base_s: 60, longest_s: 480 };
    await intentDb.query('select * from spend($1)', [JSON.stringify([item])]);
    const [row] = await intentDb.query<Window>(
      `select spent, level, round(extract(epoch from ends_at - now()))::integer as ends,
         round(extract(epoch from forget_at - now()))::integer as forgotten
       from throttles`,
    );
    return row as Window;
  };
  const FORGOTTEN_LATER = 5_000;
  const over = (spent: number, level: number, forgotten = FORGOTTEN_LATER): Window => ({
    ...{ spent, level, ends: -1, forgotten },
  });

  for (const [what, given, then] of [
    ['stays while it is open', { spent: 1, level: 3, ends: 30, forgotten: 900 }, [2, 3, 30, 900]],
    ['counts no more attempts than one too many', { spent: 9, level: 3, ends: 30, forgotten: 900 }, [3, 3, 30, 900]],
    ['doubles after one that was overspent', over(3, 1), [1, 2, 240, 720]],
    ['is halved after one that was not', over(2, 2), [1, 1, 120, 960]],
    ['is never shorter than the first', over(2, 0), [1, 0, 60, 600]],
    ['is never longer than the longest', over(3, 5), [1, 6, 480, 960]],
    ['doubles 20 times at most', over(3, 20), [1, 20, 480, 960]],
    ['begins anew once the last is forgotten', over(3, 5, -1), [1, 0, 60, 960]],
  ] as const)
    it(what, async () => {
      const [spent, level, ends, forgotten] = then;

      expect(await afterOne(given)).to.deep.equal({ spent, level, ends, forgotten });
    });
});

describe('a new budget of requests to an upstream', () => {
  it('is made once by two that are the first to spend of it', async () => {
    const intentDb = await openIntentDatabase();
    const weight = { n: 0, weight: 60, keep: 0, tenant: '', spare: 0 };
    const call = `select spent from spend_shares('new', 100, 0.001, 0, '${JSON.stringify([weight])}')`;

    const { first, second } = await intentDb.beside(call, call);

    await intentDb.close();
    expect([first, second]).to.deep.equal([[{ spent: [0] }], [{ spent: [] }]]);
  });
});

async function inTurn<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < times; n += 1) results.push(await run());
  return results;
}
