import { expect } from 'chai';
import { type EndedOfTenants, tenantCounts } from '../../src/metrics/tenants.ts';

const MINUTE_MS = 60_000;

describe('the tenants for which something fails', () => {
  let nowMs = 0;
  let count: ReturnType<typeof tenantCounts>;
  let ended: EndedOfTenants;
  beforeEach(() => {
    nowMs = 0;
    count = tenantCounts(() => nowMs);
    ended = { requests: [], intents: [] };
  });
  const note = (of: 'requests' | 'network', owner: string, all: number, failed: number, operation = 'submitOrder') => {
    for (let n = 0; n < all; n++)
      if (of === 'requests') ended.requests.push({ owner, operation, hasFailed: n < failed });
      else {
        const ending = n < failed ? 'failed' : 'succeeded';
        ended.intents.push({ owner, kind: 'network/place', ending, seconds: n < failed ? 6 : 1 });
      }
  };
  const of = (what: string) => count(ended).find((each) => each.of === what);

  it('are told from those that are unharmed, each by its own part that failed', () => {
    note('requests', 'flooding', 1_000, 900);
    note('requests', 'one of many', 200, 1);
    note('requests', 'quiet', 1, 0);
    note('network', 'whose orders are wrong', 10, 3);
    note('network', 'with a wrong one', 10, 2);

    expect(of('requests')).to.include({ failing: 1, unharmed: 2 });
    expect(of('network')).to.include({ failing: 1, unharmed: 1 });
    expect(of('late')).to.include({ failing: 2, unharmed: 0 });
    expect(of('expired')).to.include({ failing: 0, unharmed: 2 });
    expect(of('exchange')).to.include({ failing: 0, unharmed: 0 });
  });

  it('are unharmed only by what fails for others: reads say nothing of orders', () => {
    note('requests', 'trading', 100, 50);
    note('requests', 'reading', 300, 0, 'listPositions');
    note('requests', 'reading', 1, 1);
    expect(of('requests')).to.include({ failing: 1, unharmed: 0 });

    note('requests', 'trading too', 1, 0);
    expect(of('requests')).to.include({ failing: 1, unharmed: 1 });
  });

  it('are forgotten after five minutes', () => {
    note('requests', 'failing', 10, 10);
    expect(of('requests')).to.include({ failing: 1, unharmed: 0 });
    nowMs = 3 * MINUTE_MS;
    note('requests', 'unharmed', 10, 0);
    expect(of('requests')).to.include({ failing: 1, unharmed: 1 });

    nowMs = 6 * MINUTE_MS;
    expect(of('requests')).to.include({ failing: 0, unharmed: 1 });
    nowMs = 20 * MINUTE_MS;
    expect(of('requests')).to.include({ failing: 0, unharmed: 0 });
  });
});
