import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { rateLimitHeaders } from '../../src/edge/quota.ts';
import { budgetOf, limits, visibleState } from '../../src/kernel/throttles.ts';

/** What is promised: attempts, the first window and the longest one in seconds. */
const PROMISED = {
  address: [300, 60, 900],
  server: [6_000, 60, 60],
  client: [120, 60, 60],
  app_request: [10, 3_600, 86_400],
  login: [10, 60, 900],
  login_unknown_callers: [50, 600, 3_600],
  totp: [5, 60, 1_800],
  totp_day: [20, 86_400, 691_200],
  login_code_mails: [5, 3_600, 14_400],
  reset_mail: [5, 900, 3_600],
  mail: [5, 900, 14_400],
  first_mails: [2, 86_400, 86_400],
  sign_up_mails: [10, 86_400, 86_400],
  first_mails_of_app: [30, 86_400, 86_400],
  all_first_mails: [60, 86_400, 86_400],
  notify_app: [2_000, 3_600, 3_600],
  notify_recipient: [20, 3_600, 3_600],
  notify_unverified: [3, 86_400, 86_400],
  signature: [20, 3_600, 86_400],
  signature_app: [1_200, 60, 60],
  code: [20, 900, 3_600],
  api_keys: [50, 86_400, 86_400],
  webhook_endpoints: [500, 86_400, 86_400],
  checkouts_per_user: [20, 86_400, 86_400],
  checkouts: [5_000, 86_400, 86_400],
  identity_sessions_per_user: [10, 86_400, 86_400],
  identity_sessions: [2_000, 86_400, 86_400],
  payout_accounts_per_user: [5, 86_400, 86_400],
  subaccounts: [500, 86_400, 86_400],
  free_accounts: [500, 86_400, 86_400],
};

describe('the limits of throttles', () => {
  it('are those promised', () => {
    const set = Object.entries(limits).map(([name, { budget, baseS, longestS }]) => [name, [budget, baseS, longestS]]);

    expect(Object.fromEntries(set)).to.deep.equal(PROMISED);
  });

  it('count each limit and subject apart, whatever texts the subject consists of', () => {
    const subjects = [
      budgetOf('login', 'a', 'bc'),
      budgetOf('login', 'ab', 'c'),
      budgetOf('login', 'abc'),
      budgetOf('login', 'a","bc'),
      budgetOf('login'),
      budgetOf('totp', 'a', 'bc'),
    ].map(({ subject }) => subject.toString('hex'));

    expect(new Set(subjects)).to.have.length(subjects.length);
    expect(budgetOf('login', 'a', 'bc').name).to.equal('login');
    expect(subjects[0]).to.equal(createHash('sha256').update('["login","a","bc"]').digest('hex'));
  });

  it('are shown with what is left, never less than nothing, and whole seconds', () => {
    const states = [
      { name: 'login', budget: 10, base_s: 60, remaining: -3, ends_in_s: 12.2 },
      { name: 'address', budget: 300, base_s: 60, remaining: 299, ends_in_s: 60 },
    ];

    expect(rateLimitHeaders(states)).to.deep.equal({
      'RateLimit-Policy': '"login";q=10;w=60, "address";q=300;w=60',
      RateLimit: '"login";r=0;t=13, "address";r=299;t=60',
    });
  });

  it('that several apps spend do not show what the others have spent, nor when', () => {
    const shared = { name: 'sign_up_mails', budget: 10, base_s: 86_400 };
    const states = [
      { ...shared, remaining: 7, ends_in_s: 4_000 },
      { name: 'mail', budget: 5, base_s: 900, remaining: 4, ends_in_s: 900 },
    ];

    expect(rateLimitHeaders(states.map(visibleState))).to.deep.equal({
      'RateLimit-Policy': '"sign_up_mails";q=10;w=86400, "mail";q=5;w=900',
      RateLimit: '"mail";r=4;t=900',
    });
    expect(visibleState({ ...shared, remaining: -1, ends_in_s: 4_000 }).ends_in_s).to.equal(86_400);
  });
});
