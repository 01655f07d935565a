import { expect } from 'chai';
import type { Context } from 'koa';
import type { EdgeDeps } from '../../src/edge/deps.ts';
import { newSpend } from '../../src/edge/throttle.ts';
import { type BudgetState, isVisible, visibleState } from '../../src/kernel/throttles.ts';

const SHARED = { name: 'sign_up_mails', budget: 10, base_s: 86_400, ends_in_s: 4_000 };

describe('the counter of a request', () => {
  const spent = (path: string, ...remaining: number[]) => {
    const ctx = { path, state: {}, set: () => {} } as unknown as Context; // as: it needs no more of one
    const states = remaining.map(
      (left, n): BudgetState => ({ name: 'login', budget: 10, base_s: 60, remaining: left, ends_in_s: 10 + n }),
    );
    const throttle: EdgeDeps['throttle'] = { spend: async () => states } as unknown as EdgeDeps['throttle']; // as: it calls no other
    return newSpend(ctx, { throttle })().then(
      () => 'passed',
      ({ code, details }) => [code, details.retryAfterS],
    );
  };

  it('rejects by the code of the path’s generation, for as long as the last of the exceeded windows', async () => {
    expect(await spent('/v2/auth/login', -1, 3, -2, 0)).to.deep.equal(['V2_THROTTLED', 12]);
    expect(await spent('/v1/webhook-endpoints', -1)).to.deep.equal(['RATE_LIMITED', 10]);
    expect(await spent('/v2/of/v1/', -1)).to.deep.equal(['V2_THROTTLED', 10]);
  });

  it('lets the last attempt of a budget pass', async () => {
    expect(await spent('/v2/auth/login', 0)).to.equal('passed');
  });

  it('shows of a budget of several apps only that it is spent', () => {
    const isHidden = (remaining: number) => visibleState({ ...SHARED, remaining }).isHidden;

    expect([isHidden(1), isHidden(0), isHidden(-1)]).to.deep.equal([true, true, false]);
  });

  it('shows of attempts from networks without an earlier log-in only that they are spent', () => {
    const shown = (remaining: number) => isVisible({ ...SHARED, name: 'login_unknown_callers', remaining });

    expect([shown(1), shown(0), shown(-1)]).to.deep.equal([false, false, true]);
    expect(isVisible({ ...SHARED, remaining: 1 })).to.equal(true);
  });
});
