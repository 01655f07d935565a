import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { found, unreadable } from '../../src/kernel/upstream-result.ts';
import { newWork, workingOn } from '../../src/kernel/work.ts';
import type { CallLimits } from '../../src/venues/exchange/adapter/action-types.ts';
import type { QueryInfo } from '../../src/venues/exchange/adapter/info.ts';
import { pricesFrom } from '../../src/venues/exchange/adapter/prices.ts';

const MIDS = { BTC: '100000' };
const FRESH_MS = 1_000;

describe('the prices that orders share', () => {
  /** An exchange whose budget grants a read when the test says so. */
  function withBudget() {
    const asked: { limits: CallLimits; grant(): void }[] = [];
    const query = ((_, limits: CallLimits) =>
      new Promise((resolve) => {
        asked.push({ limits, grant: () => resolve(found(MIDS) as never) }); // as: the reader is not asked
        limits.signal?.addEventListener('abort', () => resolve(unreadable('BUDGET')));
      })) as QueryInfo; // as: only the prices are read
    const mids = pricesFrom(query);
    return {
      asked,
      of: (tenant: string, limits?: Pick<CallLimits, 'priority'>) =>
        workingOn(newWork({ tenant }), () => mids('', limits)),
      ofExit: (tenant: string) => workingOn(newWork({ tenant, isExit: true }), () => mids('')),
    };
  }

  it('are read for an exit, and for another tenant, although a read for an entry waits for the budget', async () => {
    const { asked, of } = withBudget();
    const flooding = of('ptn_many');
    const exit = of('ptn_few', { priority: 'exit' });
    const entry = of('ptn_few');

    asked.find(({ limits }) => limits.priority === 'exit')?.grant();

    for (const read of [exit, entry, flooding]) expect(await read).to.deep.equal(found(MIDS));
    expect(asked.map(({ limits }) => limits.priority)).to.deep.equal(['entry', 'exit', 'entry']);
    expect(asked.map(({ limits }) => limits.signal?.aborted)).to.deep.equal([true, false, true]);
  });

  it('are read as urgently as what they are read for', async () => {
    const { asked, of, ofExit } = withBudget();

    void ofExit('ptn_a');
    void of('ptn_a');

    expect(asked.map(({ limits }) => limits.priority)).to.deep.equal(['exit', 'entry']);
  });

  it('are read once for the entries of a tenant, and again after a second', async () => {
    const { asked, of } = withBudget();
    const reads = [of('ptn_a'), of('ptn_a')];
    asked[0]?.grant();
    await Promise.all(reads);

    await of('ptn_b');
    await sleep(FRESH_MS + 50);
    const later = of('ptn_b');
    asked[1]?.grant();

    expect(await later).to.deep.equal(found(MIDS));
    expect(asked).to.have.length(2);
  });
});
