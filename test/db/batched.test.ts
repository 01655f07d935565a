import { expect } from 'chai';
import { batched } from '../../src/db/batched.ts';

/** A batch function that says what it was asked, and waits until it is let go. */
function gate(judge: (items: number[]) => number[] = (items) => items.map((one) => one * 10)) {
  const asked: number[][] = [];
  const waiting: (() => void)[] = [];
  const run = async (items: number[]) => {
    asked.push(items);
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return judge(items);
  };
  const open = async () => {
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { asked, run, open };
}

describe('batched', () => {
  it('sends an item alone out at once, and gathers those that come meanwhile', async () => {
    const { asked, run, open } = gate();
    const one = batched(run);

    const results = Promise.all([1, 2, 3].map(one));
    await open();

    expect(await results).to.deep.equal([10, 20, 30]);
    expect(asked).to.deep.equal([[1], [2, 3]]);
  });

  it('keeps batches small enough', async () => {
    const { asked, run, open } = gate();
    const one = batched(run);

    const results = Promise.all(Array.from({ length: 251 }, (_, n) => one(n)));
    await open();

    expect((await results)[250]).to.equal(2_500);
    expect(asked.map(({ length }) => length)).to.deep.equal([1, 100, 100, 50]);
  });

  it('fails only the item that is bad', async () => {
    const { run, open } = gate((items) => {
      if (items.includes(13)) throw new Error('bad');
      return items;
    });
    const one = batched(run);

    const results = Promise.allSettled([1, 12, 13, 14].map(one));
    await open();

    const [first, second, bad, last] = await results;
    expect([first, second, last].map((result) => result?.status)).to.deep.equal(Array(3).fill('fulfilled'));
    expect(bad).to.have.nested.property('reason.message', 'bad');
  });

  it('goes on after a failure', async () => {
    const { run, open } = gate((items) => {
      if (items.includes(13)) throw new Error('bad');
      return items;
    });
    const one = batched(run);
    const failed = one(13).catch(() => 'failed');
    await open();
    await failed;

    const next = one(14);
    await open();

    expect(await next).to.equal(14);
  });
});
