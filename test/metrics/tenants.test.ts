import { expect } from 'chai';
import { tenantCounts } from '../../src/metrics/tenants.ts';

const MINUTE_MS = 60_000;

describe('the tenants for which something fails', () => {
  let nowMs = 0;
  let counts: ReturnType<typeof tenantCounts>;
  beforeEach(() => {
    nowMs = 0;
    counts = tenantCounts(() => nowMs);
  });
  const note = (of: 'requests' | 'network', tenant: string, all: number, failed: number) => {
    for (let n = 0; n < all; n++) counts.note(of, tenant, n < failed);
  };
  const of = (what: string) => counts.read().find((each) => each.of === what);

  it('are told from those that are unharmed, each by its own part that failed', () => {
    note('requests', 'flooding', 1_000, 900);
    note('requests', 'one of many', 200, 1);
    note('requests', 'quiet', 1, 0);
    note('network', 'whose orders are wrong', 10, 3);
    note('network', 'with a wrong one', 10, 2);

    expect(of('requests')).to.include({ failing: 1, unharmed: 2 });
    expect(of('network')).to.include({ failing: 1, unharmed: 1 });
    expect(of('exchange')).to.include({ failing: 0, unharmed: 0 });
  });

  it('are forgotten after five minutes', () => {
    note('requests', 'failing', 10, 10);
    nowMs = 3 * MINUTE_MS;
    note('requests', 'unharmed', 10, 0);
    expect(of('requests')).to.include({ failing: 1, unharmed: 1 });

    nowMs = 6 * MINUTE_MS;
    expect(of('requests')).to.include({ failing: 0, unharmed: 1 });
    nowMs = 20 * MINUTE_MS;
    expect(of('requests')).to.include({ failing: 0, unharmed: 0 });
  });
});
