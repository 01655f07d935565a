import type { Change } from './changes.ts';

/** Changes after which every response stays the same, by the reason: the statement, and the change without `${}`. */
const REASONS: Record<string, string[]> = {
  'the id of a user is never that of another app’s user': [
    'list_prop_accounts: a.owner = owner',
    'find_default_account: a.owner = owner',
    'find_account_of_order: a.owner = owner',
    'find_account_of_order: i.owner = owner',
    'find_prop_account: a.owner = owner',
    'list_signatures: s.app = app',
    'hasSignature: s.app = app',
    'newest_signature: s.app = app',
    'find_kyc_case: k.owner = owner',
    'payment_of_intent: p.owner = owner',
    'payment_shown: p.owner = owner',
    'list_connect_accounts: c.owner = owner',
    'list_user_payouts: p.owner = owner',
    'find_user_payout: p.owner = owner',
    'account_of_payout: p.owner = owner',
    'mint_trader_key: k.owner = owner',
    'revoke_trader_key: k.owner = owner',
    'list_trader_keys: k.owner = owner',
    'isKeyOf: k.owner = owner',
  ],
  'the handler has found the session by its user before': [
    'end_user_session: s.user_id = userId',
    'remove_session: s.user_id = for_user',
    'reauthenticate: s.user_id = for_user',
  ],
  'a session is of one user, and so are its keys': ['remove_session: k.user_id = for_user'],
  'a secret that has ended is superseded and ends no later': ['rotate_app_secret: s.expires_at is null'],
  'an account is of one user, and so are its keys': ['mint_trader_key: k.user_id = userId'],
  'the time at which a session ended first: nothing reads it again': [
    'end_user_session: s.revoked_at is null',
    'confirm_reset: s.revoked_at is null',
    'endAdminSessions: s.revoked_at is null',
  ],
  'the handler has read the endpoint, delivery or cursor by its app or trader before': [
    'list_webhook_endpoints: c.owner = e.owner',
    'list_webhook_deliveries: d.owner = app',
    'list_webhook_attempts: d.owner = app',
    'behind: c.trader = trader',
  ],
  'the outer query has the same condition': ['among: r.trader = trader'],
  'the caller picks the rows by their digests': [
    'find_app_tokens: t.digest = any(the digests)',
    'find_partner_keys: k.digest = any(the digests)',
  ],
  'only a verified user has a password, by a constraint': ['prove_password: u.verified_at is not null'],
  'the statement that uses an approval or accepts an invitation checks it again': [
    'find_invited: a.invitation_expires_at > now()',
    'find_invited: a.disabled_at is null',
  ],
  'both callers have locked the user': [
    "quarantine: for no key update → nothing: select coalesce(u.password_proven_at, '-infinity') into proven from users u where u.id = for_user for no key update;",
  ],
  'whether an event is offered to endpoints at all: each of them is chosen by its owner': [
    'emit_events: e.owner = of_owner',
  ],
  'a subaccount of a prop account never changes its app': [
    'name: o.owner = owner',
    'network_trader_identity: a.owner = s.owner',
  ],
  'a user has one payout account that is not detached': ['submit_payout: d.detached_at is not null'],
  'a payout account is of one user, and so are its payouts': ['payout_obstacle: p.user_id = a.user_id'],
};

/** The reason for which no test can notice a change; undefined if there is none. */
export function reasonOf({ of, what }: Change): string | undefined {
  const plain = what.replaceAll(/\$\{(\w+)\}/g, '$1').replace(/any\(\$\{sql\.array\(.*\)\}\)/, 'any(the digests)');
  const [found] = Object.entries(REASONS).find(([, conditions]) => conditions.includes(`${of}: ${plain}`)) ?? [];
  return found;
}
