import { expect } from 'chai';
import { againSoon, passOn } from '../../src/runtime/again.ts';

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const GIVEN_UP = Object.assign(new Error('canceling statement'), { code: '57014' });

describe('a job whose task threw', () => {
  it('is soon run again if the database was away or gave a statement up, and else when the queue decides', () => {
    const again = againSoon();

    expect(again('network/place', { intent_id: 'a' }, AWAY)).to.be.within(200, 300);
    expect(again('network/place', { intent_id: 'b' }, GIVEN_UP)).to.be.within(200, 300);
    expect(again('network/place', { intent_id: 'c' }, new Error('a bug'))).to.equal(null);
    expect(again('housekeeping/sweep', { _cron: {} }, AWAY), 'it comes in any case').to.equal(null);
  });

  it('is so fifteen times, later each time up to 4 s; other jobs are counted apart', () => {
    const again = againSoon();
    const delays = Array.from({ length: 16 }, () => again('network/place', { intent_id: 'a' }, AWAY));

    expect(delays.slice(4, 15).every((ms) => ms !== null && ms > 3_000 && ms < 5_000)).to.equal(true);
    expect(delays[15]).to.equal(null);
    expect(again('network/place', { intent_id: 'b' }, AWAY)).to.be.within(200, 300);
    expect(again('network/close', { intent_id: 'a' }, AWAY)).to.be.within(200, 300);
  });
});

describe('a job that is passed on', () => {
  const job = { key: 'place:a', max_attempts: 7, priority: 2 };
  const added: unknown[][] = [];
  const addJob = async (...args: unknown[]) => added.push(args);

  it('keeps its key, attempts and priority, and is due after the delay', async () => {
    const before = Date.now();
    expect(await passOn('network/place', { intent_id: 'a' }, { job, addJob }, 1_000)).to.equal(true);

    const [[task, payload, spec] = []] = added.splice(0);
    expect([task, payload]).to.deep.equal(['network/place', { intent_id: 'a' }]);
    expect(spec).to.include({ jobKey: 'place:a', maxAttempts: 7, priority: 2 });
    const { runAt } = spec as { runAt: Date }; // as: what it was called with
    expect(runAt.getTime() - before).to.be.within(1_000, 1_500);
  });

  it('has no key if it had none', async () => {
    await passOn('network/place', {}, { job: { ...job, key: null }, addJob }, 0);

    expect(added.splice(0)[0]?.[2]).to.not.have.property('jobKey');
  });

  it('is none without a delay, or outside of the queue: the task is then run', async () => {
    expect(await passOn('network/place', {}, { job, addJob }, null)).to.equal(false);
    expect(await passOn('network/place', {}, undefined, 0)).to.equal(false);
    expect(added).to.deep.equal([]);
  });
});
