import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const DRAWS = 60; // each is by lot: practically nobody who should have turns is left out of so many

describe('comparisons of wanted exits, one at a time', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
  });
  afterEach(() => intentDb.close());

  const due = (
    owner: string,
    traders: number,
    { isChanged, forS }: { isChanged: boolean; forS: number },
    name: string = owner,
  ) =>
    intentDb.query(
      `insert into wanted_exits (venue, trader, pair, owner, is_changed, due_at)
       select 'exvenue', $5 || '/' || n, 'BTC-USDC', $1, $3, now() - make_interval(secs => $4)
       from generate_series(1, $2::integer) n`,
      [owner, traders, isChanged, forS, name],
    );
  /** How many are taken before one of an owner is. `andThen` happens after each that is not. */
  async function turnsBefore(owner: string, andThen: (trader: string) => Promise<unknown> = async () => {}) {
    for (let n = 0; n < DRAWS; n += 1) {
      const [taken] = await intentDb.query<{ trader: string }>(
        `select t.trader from take_traders_due('exvenue', 1, 600) t (trader)`,
      );
      if (!taken || taken.trader.startsWith(owner)) return n;
      await andThen(taken.trader);
    }
    return DRAWS;
  }
  const changes = (trader: string) => intentDb.query(`select exits_may_differ('exvenue', $1)`, [trader]);

  it('reach exits in which nothing has changed, however often those of another owner change', async () => {
    await due('ptn_busy', 5, { isChanged: true, forS: 0 });
    await due('ptn_calm', 1, { isChanged: false, forS: 60 });

    expect(await turnsBefore('ptn_calm', changes)).to.be.below(DRAWS);
  });

  it('reach exits of the same owner in which nothing has changed', async () => {
    await due('ptn_a', 1, { isChanged: true, forS: 0 });
    await intentDb.query(`update wanted_exits set trader = 'busy'`);
    await due('ptn_a', 1, { isChanged: false, forS: 60 });

    expect(await turnsBefore('ptn_a', changes)).to.be.below(DRAWS);
  });

  it('do not let an owner wait for all that have waited longer of another', async () => {
    await due('ptn_many', 10 * DRAWS, { isChanged: true, forS: 600 });
    await due('ptn_one', 1, { isChanged: true, forS: 1 });

    expect(await turnsBefore('ptn_one')).to.be.below(DRAWS);
  });

  it('that several owners want do not wait behind all exits of one of them, whoever wanted some last', async () => {
    await due('ptn_many', 10 * DRAWS, { isChanged: true, forS: 600 });
    await due('ptn_many', 1, { isChanged: true, forS: 1 }, 'shared');
    await intentDb.query(
      `update wanted_exits set wanted = '[{"owner": "ptn_many"}, {"owner": "ptn_one"}]' where trader like 'shared%'`,
    );

    expect(await turnsBefore('shared')).to.be.below(DRAWS);
  });

  it('come first where something has changed, in most turns', async () => {
    await due('ptn_a', 200, { isChanged: true, forS: 0 });
    await due('ptn_b', 200, { isChanged: false, forS: 600 });

    const taken = [];
    for (let n = 0; n < 100; n += 1) taken.push(await turnsBefore('ptn_a'));

    expect(taken.filter((turns) => turns === 0).length).to.be.within(50, 95);
  });
});
