import { expect } from 'chai';
import { inBatches } from '../../src/db/batches.ts';

describe('inBatches', () => {
  const bounds = (more = {}) => ({ most: 5, withinMs: 60_000, signal: new AbortController().signal, ...more });

  it('takes the kinds in turn, and ends when its time is over or the worker stops', async () => {
    const turns: string[] = [];
    const stop = new AbortController();
    const endless = (name: string) => async (most: number) => {
      turns.push(name);
      if (turns.length === 6) stop.abort();
      return most;
    };

    const taken = await inBatches({ a: endless('a'), b: endless('b') }, bounds({ signal: stop.signal }));
    const late = await inBatches({ a: endless('a') }, bounds({ withinMs: 0 }));

    expect(turns).to.deep.equal(['a', 'b', 'a', 'b', 'a', 'b']);
    expect([taken, late]).to.deep.equal([{ a: 15, b: 15 }, {}]);
  });
});
