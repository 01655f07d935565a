import { expect } from 'chai';
import { endingOf, unknownEvents } from '../../src/capabilities/webhooks/rules.ts';
import { namesIn } from '../../src/contract/events.ts';

const M = 60;
const H = 3_600;
const PLAN_S = [5, M, 5 * M, 30 * M, 2 * H, 6 * H, 12 * H, 24 * H, 36 * H];

describe('the retry plan of deliveries', () => {
  const failed = (attempts: number, chance: number, retryAfterS: number | null = null) =>
    endingOf({ status: 503, retryAfterS }, attempts, chance);

  it('waits as planned, 20 % more or less, then gives up', () => {
    for (const [attempts, plannedS] of PLAN_S.entries()) {
      expect(failed(attempts, 0)).to.deep.equal({ ending: 'retry', retry_in_s: plannedS * 0.8 });
      expect(failed(attempts, 0.5)).to.deep.equal({ ending: 'retry', retry_in_s: plannedS });
      expect(failed(attempts, 1)).to.deep.equal({ ending: 'retry', retry_in_s: plannedS * 1.2 });
    }
    expect(failed(PLAN_S.length, 0.5)).to.deep.equal({ ending: 'failed' });
  });

  it('takes about 81 hours', () => {
    expect(PLAN_S.reduce((sum, s) => sum + s, 0) / H).to.be.within(80, 82);
  });

  it('honours Retry-After up to twice the planned wait, and never waits less than planned', () => {
    expect(failed(1, 0.5, 90)).to.deep.equal({ ending: 'retry', retry_in_s: 90 });
    expect(failed(1, 0.5, 3_600)).to.deep.equal({ ending: 'retry', retry_in_s: 120 });
    expect(failed(1, 0.5, 1)).to.deep.equal({ ending: 'retry', retry_in_s: 60 });
  });

  it('treats 2xx as success, 410 as the end of the endpoint, and anything else as a failure', () => {
    const endings = [200, 204, 299, 301, 304, 400, 404, 410, 429, 500, 503, null].map((status) => [
      status,
      endingOf({ status, retryAfterS: null }, 0).ending,
    ]);

    expect(endings).to.deep.equal([
      [200, 'delivered'],
      [204, 'delivered'],
      [299, 'delivered'],
      [301, 'retry'],
      [304, 'retry'],
      [400, 'retry'],
      [404, 'retry'],
      [410, 'gone'],
      [429, 'retry'],
      [500, 'retry'],
      [503, 'retry'],
      [null, 'retry'],
    ]);
  });
});

describe('subscriptions', () => {
  it('match listed names and all names', () => {
    expect(unknownEvents([...namesIn('app'), '*'], namesIn('app'))).to.deep.equal([]);
    expect(unknownEvents(['payment.succeeded', 'payment.*', 'order.filled', ''], namesIn('app'))).to.deep.equal([
      'payment.*',
      'order.filled',
      '',
    ]);
  });
});
