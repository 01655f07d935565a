import { expect } from 'chai';
import {
  breachOf,
  type NetworkStatus,
  nextSyncMs,
  type PropStatus,
  verdictOf,
} from '../../src/capabilities/accounts/prop/rules.ts';

const challenge: NetworkStatus = {
  subaccountUuid: null,
  status: 'active',
  bucket: 'SUBACCOUNT_CHALLENGE',
  elimination: null,
  overallRule: 'drawdown.eod',
};
const show = (more: Partial<NetworkStatus>): NetworkStatus => ({ ...challenge, ...more });

const table: [from: PropStatus, shown: NetworkStatus | null, to: PropStatus, synced: boolean, what: string][] = [
  ['provisioning', challenge, 'evaluation', true, 'an active subaccount'],
  ['provisioning', show({ status: 'admin' }), 'evaluation', true, 'an exempt subaccount'],
  ['provisioning', show({ bucket: null }), 'evaluation', true, 'an active subaccount without a bucket yet'],
  ['provisioning', show({ bucket: 'SUBACCOUNT_FUNDED' }), 'funded', true, 'one that starts funded'],
  ['provisioning', show({ status: 'pending' }), 'provisioning', true, 'a pending subaccount, whatever its bucket'],
  ['provisioning', show({ status: 'failed' }), 'subaccount_failed', true, 'one the network failed'],
  ['provisioning', show({ status: 'unknown' }), 'provisioning', false, 'an unknown status'],
  ['provisioning', null, 'provisioning', false, 'a failed read'],
  ['evaluation', challenge, 'evaluation', true, 'a challenge bucket'],
  ['evaluation', show({ bucket: 'SUBACCOUNT_FUNDED' }), 'funded', true, 'a funded bucket'],
  ['evaluation', show({ bucket: 'SUBACCOUNT_ALPHA' }), 'funded', true, 'an alpha bucket'],
  ['evaluation', show({ bucket: 'PRO_FUNDED' }), 'funded', true, 'a funded pro bucket'],
  ['evaluation', show({ bucket: 'PRO_CHALLENGE_TRANSITION' }), 'funded', true, 'a pro challenge that earns'],
  ['evaluation', show({ bucket: 'PRO_CHALLENGE_DIRECT' }), 'evaluation', true, 'a pro challenge that does not'],
  ['evaluation', show({ bucket: 'ELIMINATED' }), 'eliminated', true, 'the bucket of the eliminated'],
  ['evaluation', show({ status: 'eliminated' }), 'eliminated', true, 'the status of the eliminated'],
  ['evaluation', show({ elimination: { reason: 'LIQUIDATED' } }), 'eliminated', true, 'an elimination'],
  ['evaluation', show({ status: 'failed' }), 'evaluation', true, 'a late failure: operators act'],
  ['evaluation', show({ bucket: null }), 'evaluation', false, 'no bucket'],
  ['evaluation', show({ bucket: 'PROBATION' }), 'evaluation', false, 'a bucket of others'],
  ['evaluation', null, 'evaluation', false, 'a failed read'],
  ['funded', challenge, 'evaluation', true, 'a promotion taken back'],
  ['funded', show({ bucket: 'SUBACCOUNT_FUNDED' }), 'funded', true, 'a funded bucket'],
  ['funded', show({ elimination: { reason: null } }), 'eliminated', true, 'an elimination'],
  ['eliminated', challenge, 'eliminated', true, 'an elimination taken back: operators decide'],
  ['eliminated', null, 'eliminated', false, 'a failed read'],
  ['subaccount_failed', challenge, 'subaccount_failed', true, 'anything'],
];

describe('verdictOf', () => {
  for (const [from, shown, to, synced, what] of table) {
    it(`maps ${from} to ${to} for ${what}`, () => {
      expect(verdictOf(from, shown)).to.include({ status: to, synced });
    });
  }

  it('keeps the reason of an elimination', () => {
    expect(verdictOf('funded', show({ elimination: { reason: 'MAX_TOTAL_DRAWDOWN' } })).reason).to.equal(
      'max_total_drawdown',
    );
    expect(verdictOf('funded', show({ bucket: 'ELIMINATED' })).reason).to.equal('eliminated_at_network');
  });
});

describe('nextSyncMs', () => {
  it('syncs less and less often, but at least once a minute', () => {
    expect([0, 1_300, 60_000, 600_000].map(nextSyncMs)).to.deep.equal([300, 500, 30_000, 60_000]);
  });
});

describe('the rule that an eliminated account broke', () => {
  const shown = (drawdown: object) => ({
    ...show({ status: 'eliminated', bucket: null, elimination: { reason: null } }),
    drawdown,
  });
  const figures = { intraday: 1, intradayLimit: 5, overall: 2, overallLimit: 8 };

  for (const [more, rule] of [
    [{ intraday: 5.12 }, { rule: 'drawdown.intraday', drawdown_percent: 5.12, limit_percent: 5 }],
    [{ overall: 8 }, { rule: 'drawdown.eod', drawdown_percent: 8, limit_percent: 8 }],
    [{ intraday: 9, intradayLimit: null }, null],
    [{}, null],
  ] as const)
    it(`is read from the figures: ${JSON.stringify(more)}`, () => {
      expect(breachOf(shown({ ...figures, ...more }) as never)).to.deep.equal(rule); // as: a drawdown of numbers
    });

  it('is the static one of an account that has it', () => {
    const fallen = show({ drawdown: { ...figures, overall: 5.1, overallLimit: 5 }, overallRule: 'drawdown.static' });

    expect(breachOf(fallen)).to.deep.equal({ rule: 'drawdown.static', drawdown_percent: 5.1, limit_percent: 5 });
  });
});
