import { expect } from 'chai';
import type { BudgetLedger } from '../../src/kernel/shared-upstream.ts';
import { budgetFrom } from '../../src/venues/exchange/adapter/budget.ts';
import { fairTurns } from '../../src/venues/exchange/adapter/turns.ts';

type Caller = { tenant?: string; reader?: string };

describe('turns at the budget of the exchange', () => {
  /** Grants one call at a time, whatever it costs: the first. */
  const oneByOne: BudgetLedger = {
    spend: async (asked) => ({ spent: [0], waitMs: asked.length > 1 ? 1 : 0 }),
    charge: async () => {},
    halt: async () => {},
    isHalted: async () => false,
  };

  /** How many calls of weight 2, of which two wait at any time, are served before one of weight 20. */
  async function servedBefore(light: (n: number) => Caller, other: Caller): Promise<number> {
    const budget = budgetFrom(oneByOne);
    const take = (caller: Caller, weight: number) =>
      budget.take({ ...caller, weight, priority: 'exit', untilMs: Date.now() + 30_000 });
    const counts = { begun: 0, served: 0 };
    let isOver = false;
    const line = async () => {
      while (!isOver && counts.served < 60) {
        await take(light(counts.begun++), 2);
        counts.served += 1;
      }
    };
    const lines = [line(), line()];

    await take(other, 20);
    const before = counts.served;
    isOver = true;
    await Promise.all(lines);
    return before;
  }

  it('serve a call that costs much after as much of another tenant, whose cheap calls never end', async () => {
    expect(await servedBefore(() => ({ tenant: 'light' }), { tenant: 'heavy' })).to.be.within(8, 12);
  });

  it('serve a reader after as much of each one beside it, however many come after it', async () => {
    expect(await servedBefore((n) => ({ reader: `new ${n}` }), { reader: 'known' })).to.be.within(15, 25);
  });

  it('give a tenant that comes later no more than one that was served before', async () => {
    const budget = budgetFrom(oneByOne);
    const served: string[] = [];
    const take = async (tenant: string) => {
      await budget.take({ tenant, weight: 2, priority: 'read', untilMs: Date.now() + 30_000 });
      served.push(tenant);
    };
    for (let n = 0; n < 20; n += 1) await take('before');
    served.length = 0;

    await Promise.all(['before', 'later'].flatMap((tenant) => Array.from({ length: 10 }, () => take(tenant))));

    expect(served.slice(0, 10).filter((tenant) => tenant === 'before').length).to.be.within(4, 6);
  });

  it('serve what a tenant asked for first before what it asks for later, however many other tenants come', () => {
    const turns = fairTurns();
    const ask = (tenant: string, reader: string) => turns.enter({ rank: 1, tenant, reader, weight: 20 });
    for (let n = 0; n < 100; n += 1) turns.served(ask('busy', 'before'));
    const first = ask('busy', 'first');

    const later = Array.from({ length: 3_000 }, (_, n) => {
      turns.served(ask(`other ${n}`, 'reader'));
      return ask('busy', `later ${n}`);
    });

    expect(turns.first([first, ...later], 1)).to.deep.equal([first]);
  });

  it('serve a reader that was served a lot after all other readers of its tenant', () => {
    const turns = fairTurns();
    const ask = (reader: string) => turns.enter({ rank: 1, tenant: 'one', reader, weight: 20 });
    const greedy = () => Array.from({ length: 20 }, () => ask('greedy'));
    const before = greedy();

    const others = Array.from({ length: 1_500 }, (_, n) => (n % 100 === 0 ? ask('greedy') : ask(`other ${n}`)));
    const last = ask('greedy');

    expect(last.turn).to.be.above(Math.max(...[...before, ...others].map(({ turn }) => turn)));
  });
});
