import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { batch, batchPerPool } from '../../src/db/batch.ts';
import type { Db } from '../../src/db/pool.ts';
import { presentWork, type Work, workingOn } from '../../src/kernel/work.ts';

/** A batch function that records its items, and waits until it is released. */
function recorder(judge: (items: number[]) => number[] = (items) => items.map((one) => one * 10)) {
  const batches: number[][] = [];
  const waiting: (() => void)[] = [];
  const run = async (items: number[]) => {
    batches.push(items);
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return judge(items);
  };
  const release = async () => {
    await turn();
    while (waiting.length > 0) {
      waiting.shift()?.();
      await turn();
    }
  };
  return { batches, run, release };
}

const failingOn13 = (items: number[]) => {
  if (items.includes(13)) throw new Error('bad');
  return items;
};

describe('batch', () => {
  it('sends a single item at once, and collects those that arrive meanwhile', async () => {
    const { batches, run, release } = recorder();
    const one = batch(run);

    const first = one(1);
    await Promise.resolve();
    const sentAtOnce = batches.length;
    const results = Promise.all([first, one(2), one(3)]);
    await release();

    expect(sentAtOnce).to.equal(1);
    expect(await results).to.deep.equal([10, 20, 30]);
    expect(batches).to.deep.equal([[1], [2, 3]]);
  });

  it('shares a batch among items of one tick', async () => {
    const { batches, run, release } = recorder();
    const one = batch(run);

    const results = Promise.all([1, 2, 3].map(one));
    await release();

    expect(await results).to.deep.equal([10, 20, 30]);
    expect(batches).to.deep.equal([[1, 2, 3]]);
  });

  it('limits the size of batches, and runs one at a time', async () => {
    const { batches, run, release } = recorder();
    let underWay = 0;
    const counted = async (items: number[]) => {
      underWay += 1;
      expect(underWay).to.equal(1);
      return run(items).finally(() => {
        underWay -= 1;
      });
    };
    const one = batch(counted);

    const results = Promise.all(Array.from({ length: 251 }, (_, n) => one(n)));
    await release();

    expect((await results)[250]).to.equal(2_500);
    expect(batches.map(({ length }) => length)).to.deep.equal([100, 100, 51]);
  });

  it('does not merge equal items, and caches no result', async () => {
    const { batches, run, release } = recorder();
    const one = batch(run);
    const together = Promise.all([one(7), one(7)]);
    await release();
    await together;

    const again = one(7);
    await release();

    expect(await again).to.equal(70);
    expect(batches).to.deep.equal([[7, 7], [7]]);
  });

  it('fails only the bad item', async () => {
    const { batches, run, release } = recorder(failingOn13);
    const one = batch(run);

    const results = Promise.allSettled([12, 13, 14].map(one));
    await release();

    const [before, bad, after] = await results;
    expect([before, after].map((result) => result?.status)).to.deep.equal(['fulfilled', 'fulfilled']);
    expect(bad).to.have.nested.property('reason.message', 'bad');
    expect(batches).to.deep.equal([[12, 13, 14], [12], [13], [14]]);
  });

  it('runs no more items alone once the database is away', async () => {
    const ran: number[] = [];
    const one = batch(async (items: number[]) => {
      if (items.length > 1) throw new Error('one is bad');
      ran.push(...items);
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    });

    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => one(n)));

    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(20);
    expect(ran).to.have.length(4);
  });

  it('fails all items together if the database was away, because no item is to blame', async () => {
    const { batches, run, release } = recorder(() => {
      throw Object.assign(new Error('no space left'), { code: '53100' });
    });
    const one = batch(run);

    const results = Promise.allSettled([12, 13, 14].map(one));
    await release();

    expect((await results).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(batches).to.deep.equal([[12, 13, 14]]);
  });

  it('does not let a batch that hangs hold up the others', async () => {
    const begun: number[][] = [];
    const one = batch((items: number[]) => {
      begun.push(items);
      return items.includes(1) ? new Promise<number[]>(() => {}) : Promise.resolve(items);
    });
    void one(1);
    await turn();

    const next = await one(2);

    expect(next).to.equal(2);
    expect(begun).to.deep.equal([[1], [2]]);
  });

  it('is work of none of its callers: it is done for other tenants too, and takes no turn of an operator', async () => {
    const seen: Work[] = [];
    const one = batch(async (items: number[]) => {
      seen.push({ ...presentWork() });
      return items;
    });

    await workingOn({ tenant: 'one', isOperator: true }, () => Promise.all([one(1), one(2)]));

    expect(seen).to.deep.equal([{}]);
  });

  it('continues after a failure', async () => {
    const { run, release } = recorder(failingOn13);
    const one = batch(run);
    const failed = one(13).catch((error: Error) => error.message);
    await release();

    const next = one(14);
    await release();

    expect(await failed).to.equal('bad');
    expect(await next).to.equal(14);
  });

  it('gives every pool its own batches', async () => {
    const recorded: [Db, number[]][] = [];
    const one = batchPerPool(async (db, items: number[]) => {
      recorded.push([db, items]);
      return items;
    });
    const [a, b] = [{} as Db, {} as Db]; // as: only distinguished here

    await Promise.all([one(a, 1), one(b, 2), one(a, 3)]);

    expect(recorded).to.deep.equal([
      [a, [1, 3]],
      [b, [2]],
    ]);
  });
});
