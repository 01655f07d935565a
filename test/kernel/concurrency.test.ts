import { expect } from 'chai';
import { concurrencyLimit } from '../../src/kernel/concurrency.ts';
import { ApiError } from '../../src/kernel/errors.ts';

describe('concurrencyLimit', () => {
  it('runs up to its limit at once, queues others in order of arrival, and rejects those beyond', async () => {
    const limited = concurrencyLimit(2, 3);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const work = (n: number) => async () => {
      started.push(n);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return n;
    };

    const results = await Promise.allSettled(Array.from({ length: 7 }, (_, n) => limited(work(n))));

    expect(started).to.deep.equal([0, 1, 2, 3, 4]);
    expect(most).to.equal(2);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))).to.deep.equal([
      ...[0, 1, 2, 3, 4],
      ...Array(2).fill('SERVICE_UNAVAILABLE'),
    ]);
    const [rejected] = results.slice(5);
    expect(rejected).to.have.property('reason').that.is.instanceOf(ApiError);
    expect(rejected).to.have.nested.property('reason.details.retryAfterS', 1);
  });

  it('continues after failed work, whether it rejected or threw', async () => {
    const limited = concurrencyLimit(1, 3);

    const results = await Promise.allSettled([
      limited(() => Promise.reject(new Error('rejected'))),
      limited(() => {
        throw new Error('thrown');
      }),
      limited(async () => 'done'),
    ]);

    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
    expect(await limited(async () => 'next')).to.equal('next');
  });
});
