import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const WALLET = `0x${'1'.repeat(40)}`;
const BTC = 'BTC-USDC';

/** Commands may be executed in another order than they were accepted in. */
describe('commands about the exits of a wallet', () => {
  let intentDb: IntentDatabase;
  let first: string;
  let second: string;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(async () => {
    await intentDb.query('truncate intents, lanes, exit_plans, wanted_exits cascade');
    [first, second] = [await accepted(), await accepted()];
  });

  async function accepted(): Promise<string> {
    const one = item({ kind: 'exchange/protect', lane: `exvenue:${WALLET}` });
    await intentDb.accept(one);
    return one.id;
  }
  /** Has a command decide about legs, and returns those about which a later one has. */
  const decide = async (by: string, decided: Record<string, string | null>, pair = BTC) => {
    const rows = await intentDb.query<{ leg: string }>(
      'select leg from decide_exits($1, $2, $3, $4) as d (leg) order by leg',
      [WALLET, pair, decided, by],
    );
    return rows.map(({ leg }) => leg);
  };
  const release = (by: string, ...numbers: string[]) =>
    intentDb.query('select release_exits($1, $2, $3)::text', [WALLET, numbers, by]);
  const plans = async () =>
    Object.fromEntries(
      (
        await intentDb.query<{ leg: string; oid: string | null; by: string; replaced: string[] }>(
          'select leg, oid, intent_id as by, replaced from exit_plans where pair = $1',
          [BTC],
        )
      ).map(({ leg, ...plan }) => [leg, plan]),
    );

  it('replace what an earlier one placed', async () => {
    expect(await decide(first, { tp: '7', sl: '8' })).to.deep.equal([]);
    expect(await decide(second, { tp: '9' })).to.deep.equal([]);

    expect(await plans()).to.deep.equal({
      tp: { oid: '9', by: second, replaced: ['7'] },
      sl: { oid: '8', by: first, replaced: [] },
    });
  });

  it('leave what one that was accepted later has decided, also where that is heard of first', async () => {
    await decide(second, { tp: '9' });

    expect(await decide(first, { tp: '7', sl: '8' })).to.deep.equal(['tp']);

    expect(await plans()).to.deep.equal({
      tp: { oid: '9', by: second, replaced: [] },
      sl: { oid: '8', by: first, replaced: [] },
    });
  });

  it('are newer than those that were accepted before, and not than themselves, in their pair and in all', async () => {
    const newer = async (than: string, pair = BTC) =>
      (await intentDb.query<{ leg: string }>('select newer_exits($1, $2, $3) as leg', [WALLET, pair, than]))
        .map(({ leg }) => leg)
        .sort();
    await decide(second, { tp: '9' });
    await decide(second, { sl: null }, '*');

    expect([await newer(first), await newer(second)]).to.deep.equal([['sl', 'tp'], []]);
    expect(await newer(first, 'ETH-USDC')).to.deep.equal(['sl']);
  });

  it('may be recorded twice: what they replaced stays known until it is cancelled', async () => {
    await decide(first, { tp: '7' });
    await decide(second, { tp: '9' });

    expect(await decide(second, { tp: '9' })).to.deep.equal([]);

    expect((await plans()).tp).to.deep.equal({ oid: '9', by: second, replaced: ['7'] });
  });

  it('leave what one about all pairs has decided that was accepted later, and no other', async () => {
    await decide(second, { tp: null }, '*');
    expect(await decide(first, { tp: '7', sl: '8' })).to.deep.equal(['tp']);
    const third = await accepted();

    expect(await decide(third, { tp: '9' })).to.deep.equal([]);
  });

  it('that cancel an exit end it, unless one that was accepted later has placed it', async () => {
    await decide(first, { tp: '7' });
    await release(second, '7');
    const ended = await plans();
    await decide(second, { sl: '9' });
    await release(first, '9');

    expect(ended.tp).to.include({ oid: null, by: second });
    expect((await plans()).sl).to.include({ oid: '9', by: second });
  });
});
