import { expect } from 'chai';
import type { Priority } from '../../src/capacity/exchange.ts';
import type { BudgetLedger } from '../../src/kernel/shared-upstream.ts';
import { epochMs, goByDatabaseTime, workingOn } from '../../src/kernel/work.ts';
import { tokenBucket } from '../../src/venues/exchange/adapter/bucket.ts';
import { type Budget, budgetFrom } from '../../src/venues/exchange/adapter/budget.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const LIMIT = 1_200;
const later = () => epochMs() + 30_000;
const ask = (budget: Budget, weight: number, priority: Priority = 'entry', reader?: string) =>
  budget.take({ weight, priority, reader, untilMs: later() });

const abortable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};

/** A ledger whose tokens only the test adds. */
const ledgerOf = (tokens: number) => {
  const state = { tokens, halted: 0 };
  const ledger: BudgetLedger = {
    spend: async (asked) => {
      const short = asked.findIndex(({ weight, keep }) => {
        if (weight + keep > state.tokens) return true;
        state.tokens -= weight;
        return false;
      });
      const spent = [...asked.keys()].slice(0, short < 0 ? asked.length : short);
      return { spent, waitMs: short < 0 ? 0 : 1 };
    },
    charge: async (weight) => {
      state.tokens -= weight;
    },
    halt: async (ms) => {
      state.halted = ms;
    },
    isHalted: async () => state.halted > 0,
  };
  return { state, ledger };
};

describe('the budget of requests in a process', () => {
  const { pass, passing } = stoppedClock();

  it('serves cancels before writes and writes before reads, each in order of arrival', async () => {
    const { state, ledger } = ledgerOf(0);
    const budget = budgetFrom(ledger, LIMIT);
    const served: string[] = [];
    const line = async (name: string, priority: Priority) => {
      await ask(budget, 1, priority);
      served.push(name);
    };

    const all = Promise.all([
      line('read', 'read'),
      line('write 1', 'entry'),
      line('cancel 1', 'exit'),
      line('write 2', 'entry'),
      line('cancel 2', 'exit'),
    ]);
    state.tokens = LIMIT;
    await passing(all);

    expect(served).to.deep.equal(['cancel 1', 'cancel 2', 'write 1', 'write 2', 'read']);
  });

  it('limits the verbs that wait, with all their calls: the newest of the tenant that has most of them is given up', async () => {
    const budget = budgetFrom(ledgerOf(0).ledger, LIMIT, 2);
    const left: string[] = [];
    const line = (verb: string, priority: Priority = 'entry') =>
      workingOn({ intent_id: verb }, async () => {
        const asked = { weight: 1, priority, tenant: verb.charAt(0), untilMs: epochMs() + 300 };
        if (!(await budget.take(asked))) left.push(verb);
      });

    const calls = ['a1', 'a1', 'a1', 'a2', 'a2', 'b1', 'a3'].map((verb) => line(verb));
    calls.push(line('r1', 'read'), line('x1', 'exit'));
    await pass(100);

    expect(left).to.deep.equal(['a2', 'a2', 'a3']);
    await passing(Promise.all(calls));
  });

  it('serves a tenant that has spent little beside one whose calls wait, from both ledgers alike', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 100, perSecond: 0.001, allowance: 30 }), 400); // kept for exits 22, spared 20
    const served: string[] = [];
    const line = (tenant: string, weight: number, ms = 300) =>
      budget
        .take({ weight, priority: 'entry', tenant, untilMs: epochMs() + ms })
        .then((granted) => granted && served.push(tenant));

    await line('many', 58);
    await passing(Promise.all([...Array.from({ length: 60 }, () => line('many', 0.3)), line('few', 20, 150)])); // its turn is after all of those

    expect(served).to.deep.equal(['many', 'few']);
  });

  it('keeps a part for cancels that writes and reads leave untouched, and one for writes', async () => {
    const { state, ledger } = ledgerOf(65);
    const budget = budgetFrom(ledger, LIMIT);
    const hurried = (priority: Priority) => passing(budget.take({ weight: 1, priority, untilMs: epochMs() + 20 }));

    const atTheKeptPart = [await hurried('read'), await hurried('entry'), await hurried('exit')];
    state.tokens = 67;
    const aboveIt = [await hurried('read'), await hurried('entry')];

    expect(atTheKeptPart).to.deep.equal([false, false, true]);
    expect(aboveIt).to.deep.equal([false, true]);
  });

  it('lets readers take turns by weight: one of long histories does not hold up the others', async () => {
    const { state, ledger } = ledgerOf(0);
    const budget = budgetFrom(ledger, LIMIT);
    const served: string[] = [];
    const read = async (reader: string, weight: number) => {
      await ask(budget, weight, 'read', reader);
      served.push(reader);
    };

    const all = Promise.all([
      ...Array.from({ length: 5 }, () => read('long', 120)),
      ...Array.from({ length: 5 }, () => read('short', 2)),
    ]);
    state.tokens = LIMIT;
    await passing(all);

    expect(served.slice(0, 5)).to.deep.equal(['short', 'short', 'short', 'short', 'short']);
  });

  it('lets tenants take turns: one that reads many invented wallets does not hold up another', async () => {
    const { state, ledger } = ledgerOf(0);
    const budget = budgetFrom(ledger, LIMIT);
    const served: string[] = [];
    const read = async (tenant: string, reader: string) => {
      await budget.take({ weight: 2, priority: 'read', untilMs: later(), tenant, reader });
      served.push(tenant);
    };

    const all = Promise.all([
      ...Array.from({ length: 200 }, (_, n) => read('inventor', `wallet ${n}`)),
      ...Array.from({ length: 3 }, () => read('other', 'its wallet')),
    ]);
    state.tokens = LIMIT;
    await passing(all);

    expect(served.slice(0, 8).filter((tenant) => tenant === 'other')).to.have.length(3);
  });

  it('is not granted past the deadline nor to an aborted call, and what was spent for it is given back', async () => {
    const { state, ledger } = ledgerOf(LIMIT);
    const abandon = new AbortController();
    let respond = () => {};
    const slow: BudgetLedger = {
      ...ledger,
      spend: async (asked) => {
        await new Promise<void>((resolve) => {
          respond = resolve;
        });
        return ledger.spend(asked);
      },
    };
    const budget = budgetFrom(slow, LIMIT);

    const late = await budget.take({ weight: 1, priority: 'entry', untilMs: epochMs() - 1 });
    const left = budget.take({ weight: 5, priority: 'entry', untilMs: later(), signal: abandon.signal });
    abandon.abort();
    const aborted = await left;
    respond();
    await new Promise(setImmediate);

    expect([late, aborted]).to.deep.equal([false, false]);
    expect(state.tokens).to.equal(LIMIT);
  });

  it('grants nothing while the ledger cannot be reached', async () => {
    const budget = budgetFrom({ ...ledgerOf(LIMIT).ledger, spend: () => Promise.reject(new Error('away')) }, LIMIT);

    expect(await Promise.all([ask(budget, 1), ask(budget, 1, 'exit')])).to.deep.equal([false, false]);
  });

  it('lets one exit through after a 429 and charges it; after a grant the next one waits no longer than the first', async () => {
    const { state, ledger } = ledgerOf(0);
    const budget = budgetFrom(ledger, LIMIT);
    const meet429 = async () => {
      budget.halt(1);
      expect(await passing(ask(budget, 1, 'exit'))).to.equal(true);
    };

    await meet429();
    expect(state.tokens, 'charged').to.equal(-1);
    await meet429();
    state.tokens = LIMIT;
    await ask(budget, 1);
    state.tokens = 0;
    const from = epochMs();
    await meet429();

    expect(epochMs() - from).to.be.within(1_900, 2_100);
  });

  it('lets exits through in turns of tenants after a 429: many exits of one do not hold up one of another', async () => {
    const budget = budgetFrom(ledgerOf(0).ledger, LIMIT);
    budget.halt(60_000);
    const { signal, abort } = abortable();
    const through: string[] = [];
    const exit = async (tenant: string) => {
      if (await budget.take({ weight: 1, priority: 'exit', tenant, untilMs: later(), signal })) through.push(tenant);
    };

    const many = Array.from({ length: 5 }, () => exit('many'));
    await passing(exit('few'));
    abort();
    await Promise.all(many);

    expect(through).to.deep.equal(['many', 'few']);
  });

  it('lets no exit through that the budget does not cover while the venue has asked for no pause', async () => {
    const { state, ledger } = ledgerOf(0);
    const budget = budgetFrom(ledger, LIMIT);

    const granted = await passing(budget.take({ weight: 1, priority: 'exit', untilMs: epochMs() + 1_500 }));

    expect([granted, state.tokens]).to.deep.equal([false, 0]);
  });

  it('lets an exit through as soon after a 429 where the time was set back since, as by a failover', async () => {
    const budget = budgetFrom(ledgerOf(0).ledger, LIMIT);
    budget.halt(1);
    goByDatabaseTime(3_600_000);

    const granted = await passing(budget.take({ weight: 1, priority: 'exit', untilMs: epochMs() + 2_000 }));
    goByDatabaseTime(0);

    expect(granted).to.equal(true);
  });

  it('passes on costs known only from the response, and halts', async () => {
    const { state, ledger } = ledgerOf(LIMIT);
    const budget = budgetFrom(ledger, LIMIT);

    budget.charge(100);
    budget.halt(5_000);

    expect(state).to.deep.equal({ tokens: LIMIT - 100, halted: 5_000 });
  });
});
