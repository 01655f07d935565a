import { expect } from 'chai';
import { inBatches } from '../../src/db/batches.ts';
import { goByDatabaseTime } from '../../src/kernel/work.ts';

describe('inBatches', () => {
  const bounds = (more = {}) => ({ most: 5, withinMs: 60_000, signal: new AbortController().signal, ...more });

  it('takes the kinds in turn, and ends when its time is over or the worker stops', async () => {
    const turns: string[] = [];
    const stop = new AbortController();
    const endless = (name: string) => async (most: number) => {
      turns.push(name);
      if (turns.length === 6) stop.abort();
      return { seen: most, taken: most };
    };

    const taken = await inBatches({ a: endless('a'), b: endless('b') }, bounds({ signal: stop.signal }));
    const late = await inBatches({ a: endless('a') }, bounds({ withinMs: 0 }));

    expect(turns).to.deep.equal(['a', 'b', 'a', 'b', 'a', 'b']);
    expect([taken.taken, late.taken]).to.deep.equal([{ a: 15, b: 15 }, {}]);
    expect([taken.left, late.left]).to.deep.equal([['a', 'b'], ['a']]);
  });

  it('ends when its time is over, also where the time is set back meanwhile, as by a failover', async () => {
    let batches = 0;
    const endless = async (most: number) => {
      batches += 1;
      goByDatabaseTime(3_600_000);
      if (batches === 100) throw new Error('it did not end');
      await new Promise((resolve) => setTimeout(resolve, 10));
      return { seen: most, taken: most };
    };

    const { failed, left } = await inBatches({ endless }, bounds({ withinMs: 50 }));
    goByDatabaseTime(0);

    expect([failed, left]).to.deep.equal([{}, ['endless']]);
  });

  it('goes on with the others when one kind fails, and while a batch sees as many rows as it may, whatever it takes', async () => {
    let batches = 0;
    const broken = async () => {
      throw new Error('broken');
    };
    const judging = async (most: number) => {
      batches += 1;
      return { seen: batches < 3 ? most : 1, taken: 0 };
    };

    const run = await inBatches({ broken, judging }, bounds());

    expect(batches).to.equal(3);
    expect(run.failed.broken).to.be.an('error');
    expect([run.taken, run.left]).to.deep.equal([{}, []]);
  });
});
