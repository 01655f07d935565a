import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { batch } from '../../src/db/batch.ts';
import { presentWork, workingOn } from '../../src/kernel/work.ts';

describe('a batch whose statement waits too long for a lock', () => {
  const waitsTooLong = () => Object.assign(new Error('lock timeout'), { code: '55P03' });
  type Order = { tenant: string; isHeld?: boolean };
  const [a, b, c] = ['a', 'b', 'c'].map((tenant): Order => ({ tenant }));
  const [heldOfA, heldOfB] = ['a', 'b'].map((tenant): Order => ({ tenant, isHeld: true }));

  /** Runs orders of several tenants at once. Each lock is held for `heldMs` after it is asked for. */
  async function runAll(orders: (Order | undefined)[], heldMs: number) {
    const ran: [tenants: string, lockMs: number][] = [];
    let [underWay, most] = [0, 0];
    const one = batch(async (items: Order[], lockMs) => {
      ran.push([items.map(({ tenant }) => tenant).join(' '), lockMs]);
      most = Math.max(most, ++underWay);
      await turn();
      underWay -= 1;
      if (items.some(({ isHeld }) => isHeld) && lockMs < heldMs) throw waitsTooLong();
      return items;
    });
    const results = await Promise.allSettled(
      orders.flatMap((order) => (order ? [workingOn({ tenant: order.tenant }, () => one(order))] : [])),
    );
    return { ran, most, ended: results.map(({ status }) => status === 'fulfilled') };
  }

  it('is run item by item in turns of tenants, and then, for items that are still blocked, by tenant', async () => {
    const { ran, ended } = await runAll([heldOfA, heldOfA, a, a, a, b, heldOfB, c], 2_000);

    expect(ended).to.not.include(false);
    expect(ran[0]).to.deep.equal(['a a a a a b b c', 500]);
    expect(ran.slice(1, 9)).to.deep.equal([...'aaaaabcb'].map((tenant) => [tenant, 50]));
    expect(ran.slice(9)).to.deep.equal([
      ['a a', 3_000],
      ['b', 3_000],
    ]);
  });

  it('delays others once: what a tenant that was held up asks for next waits apart from theirs, on connections of its turn', async () => {
    const ran: [tenants: string, lockMs: number, as: string | undefined][] = [];
    const one = batch(async (items: Order[], lockMs) => {
      ran.push([items.map(({ tenant }) => tenant).join(' '), lockMs, presentWork().tenant]);
      if (items.some(({ isHeld }) => isHeld) && lockMs < 2_000) throw waitsTooLong();
      return items;
    });
    const runTogether = (orders: (Order | undefined)[]) =>
      Promise.all(orders.map((order = { tenant: '' }) => workingOn({ tenant: order.tenant }, () => one(order))));
    await runTogether([heldOfA, b]);
    const first = ran.splice(0);

    await runTogether([heldOfA, b, a, c]);
    await runTogether([heldOfA, b]);

    expect(first).to.have.length(4);
    expect(ran.filter(([tenants]) => !tenants.includes('a'))).to.deep.equal([
      ['b c', 500, undefined],
      ['b', 3_000, undefined],
    ]);
    expect(ran.filter(([tenants]) => tenants.includes('a'))).to.deep.equal([
      ['a a', 500, 'a'],
      ['a', 50, 'a'],
      ['a', 50, 'a'],
      ['a', 3_000, 'a'],
      ['a', 3_000, 'a'],
    ]);
  });

  it('delays others once, too, where it is of one item, which waits for its lock at once', async () => {
    const ran: string[] = [];
    const one = batch(async (items: Order[]) => {
      ran.push(items.map(({ tenant }) => tenant).join(' '));
      if (items.some(({ isHeld }) => isHeld)) throw waitsTooLong();
      return items;
    });
    const runAs = (order: Order) => workingOn({ tenant: order.tenant }, () => one(order));

    const held = await runAs({ tenant: 'a', isHeld: true }).catch(({ code }) => code);
    await Promise.all([runAs({ tenant: 'a' }), runAs({ tenant: 'c' })]);

    expect(held).to.equal('55P03');
    expect(ran).to.deep.equal(['a', 'a', 'c']);
  });

  it('takes few connections, and fails only the items that are blocked for too long', async () => {
    const { ran, most, ended } = await runAll([...Array(50).fill(heldOfA), b], 10_000);

    expect(most).to.equal(4);
    expect(ended).to.deep.equal([...Array(50).fill(false), true]);
    expect(ran).to.have.length(1 + 51 + 1);
  });
});
