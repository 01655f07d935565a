import { type LimitName, limits } from '../../kernel/throttles.ts';

/** What each budget counts. */
const counts: Record<LimitName, string> = {
  address: 'calls of operations open to everyone, from one address',
  server: 'calls of one app that concern end users',
  client: 'token requests of one client from one address',
  app_request: 'access requests from one address',
  login: "attempts at one account's password from one address",
  login_unknown_callers: "attempts at one account's password from addresses without an earlier log-in",
  totp: "attempts at one account's authenticator code",
  totp_day: 'the same over days; beyond it a mailed code is needed, too',
  login_code_mails: 'mails with such a code',
  reset_mail: 'mails with a reset token to one address',
  mail: 'further mails of one app that anyone can cause to one address',
  first_mails: 'mails to one address that sign-ups, new codes and resets from one network cause at one app',
  first_mails_of_app: 'what all networks together spend of `first_mails` of one address at one app',
  sign_up_mails: 'further such mails to one address, over all apps and networks',
  all_first_mails: 'the same over all apps',
  notify_app: 'notifications by mail of one app',
  notify_recipient: 'notifications by mail of one app to one address',
  notify_unverified: 'notifications by mail to one unverified address, over all apps',
  signature: 'agreements that one user signs',
  signature_app: 'agreements that all users of one app sign',
  code: 'attempts at mailed codes and links of one account',
  api_keys: 'trader API keys that one user creates',
  webhook_endpoints: 'webhook endpoints that one app or partner registers',
  checkouts_per_user: 'checkouts of one user',
  checkouts: 'checkouts of all users of one app',
  identity_sessions_per_user: 'identity verifications that one user begins',
  identity_sessions: 'identity verifications that all users of one app begin',
  payout_accounts_per_user: 'payout accounts that one user opens',
  subaccounts: 'subaccounts of the network that one partner registers',
  free_accounts: 'free accounts that all users of one app open',
};

/** The budgets as a table of Markdown. */
export const throttleTable = (): string =>
  [
    '| budget | counts | number | window | longest window |',
    '|---|---|---|---|---|',
    ...Object.entries(limits).map(
      ([name, { budget, baseS, longestS }]) =>
        `| \`${name}\` | ${counts[name as LimitName]} | ${budget} | ${shown(baseS)} | ${shown(longestS)} |`, // as: its own keys
    ),
  ].join('\n');

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

function shown(seconds: number): string {
  const [unitS, name] = UNITS.find(([size]) => seconds % size === 0) ?? [1, 'second'];
  const count = seconds / unitS;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
