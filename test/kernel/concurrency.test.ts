import { expect } from 'chai';
import { FIRST, fairLimit } from '../../src/kernel/concurrency.ts';
import { ApiError } from '../../src/kernel/errors.ts';

describe('fairLimit', () => {
  /** Works of a lane that record their start and end in a later turn of the event loop. */
  const recorder = () => {
    const started: string[] = [];
    const counts = { running: 0, most: 0 };
    const work = (name: string) => async () => {
      started.push(name);
      counts.most = Math.max(counts.most, ++counts.running);
      await new Promise((resolve) => setImmediate(resolve));
      counts.running -= 1;
      return name;
    };
    return { started, counts, work };
  };

  it('runs up to its limit at once, queues others of a lane in order of arrival, and rejects those beyond', async () => {
    const limit = fairLimit(2, 3);
    const { started, counts, work } = recorder();
    const names = ['0', '1', '2', '3', '4', '5', '6'];

    const results = await Promise.allSettled(names.map((name) => limit.run('one', work(name))));

    expect(started).to.deep.equal(names.slice(0, 5));
    expect(counts.most).to.equal(2);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))).to.deep.equal([
      ...names.slice(0, 5),
      ...Array(2).fill('SERVICE_UNAVAILABLE'),
    ]);
    const [rejected] = results.slice(5);
    expect(rejected).to.have.property('reason').that.is.instanceOf(ApiError);
    expect(rejected).to.have.nested.property('reason.details.retryAfterS', 1);
  });

  it('lets lanes take turns, however much one of them has waiting', async () => {
    const limit = fairLimit(1, 1_000);
    const { started, work } = recorder();

    const flood = Array.from({ length: 1_000 }, (_, n) => limit.run('flood', work(`flood ${n}`)));
    const others = ['a', 'b', 'a again', 'b again'].map((name) => limit.run(name.slice(0, 1), work(name)));
    await Promise.all([...flood, ...others]);

    expect(started.slice(0, 8)).to.deep.equal([
      ...['flood 0', 'flood 1', 'a', 'b', 'flood 2', 'a again', 'b again', 'flood 3'],
    ]);
    expect(started).to.have.length(1_004);
  });

  it('lets the first lane go before a flood from many lanes, in its own order', async () => {
    const limit = fairLimit(1, 2);
    const { started, work } = recorder();

    const flood = Array.from({ length: 100 }, (_, n) => limit.run(`network ${n}`, work(`flood ${n}`)));
    const known = ['known', 'known again'].map((name) => limit.run(FIRST, work(name)));
    await Promise.all([...flood, ...known]);

    expect(started.slice(0, 4)).to.deep.equal(['flood 0', 'known', 'known again', 'flood 1']);
    expect(started).to.have.length(102);
  });

  it('knows how much of a lane is waiting', async () => {
    const limit = fairLimit(1, 1);
    const { work } = recorder();

    const works = [limit.run('one', work('1')), limit.run('one', work('2'))];

    expect([limit.waiting('one'), limit.waiting('other')]).to.deep.equal([1, 0]);
    await Promise.all(works);
    expect(limit.waiting('one')).to.equal(0);
    expect(await limit.run('one', work('3'))).to.equal('3');
  });

  it('rejects only the lane that has too much waiting', async () => {
    const limit = fairLimit(1, 2);
    const { work } = recorder();

    const results = await Promise.allSettled([
      ...['1', '2', '3', '4'].map((name) => limit.run('flood', work(name))),
      limit.run('other', work('other')),
    ]);

    expect(results.map(({ status }) => status)).to.deep.equal([
      ...['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    ]);
  });

  it('continues after failed work, whether it rejected or threw', async () => {
    const limit = fairLimit(1, 3);

    const results = await Promise.allSettled([
      limit.run('one', () => Promise.reject(new Error('rejected'))),
      limit.run('one', () => {
        throw new Error('thrown');
      }),
      limit.run('one', async () => 'done'),
    ]);

    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
    expect(await limit.run('one', async () => 'next')).to.equal('next');
  });
});
