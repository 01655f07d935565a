import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const OTHER = '00000000-0000-7000-8000-0000000000ff';
const MORE = `
  update payments set processor_payment_intent_id = 'pi_1', refund_intent_id = '${OTHER}';
  update payouts set processor_transfer_id = 'tr_1';
  update payout_steps set processor_id = 'tr_1';
  insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
  values ('e_2', 'e', 2, 'app_1', '${OTHER}', 'crypto', 1000, 'active');
  update prop_accounts set synthetic_hotkey = 'e_2', intent_id = '${OTHER}';
  insert into admins (id, email) values ('adm_2', 'other@example.com');
  insert into approvals (id, operation, digest, summary, role, requested_by, expires_at) values ('apv_1', 'refund', '\\x01', '{}', 'finance', 'adm_1', now());
  insert into events (id, owner, type, position, data, created_at)
  values ('evt_2', 'app_1', 'a.b', 101, '{}', now()), ('evt_p', 'ptn_1', 'a.b', 101, '{}', now())`;

/** Inserts the row of a table again, with other values where they are given. */
const copy = (table: string, other: Record<string, unknown> = {}) => `
  insert into ${table} select (jsonb_populate_record(t, '${JSON.stringify(other)}')).* from ${table} t limit 1`;
const set = (table: string, change: string) => `update ${table} set ${change}`;
const step = (state: string) => `
  update payout_steps set state = '${state}';
  insert into payout_steps (intent_id, payout_id, step, amount_cents, currency) values ('${OTHER}', 'po_1', 'payout', 1, 'usd')`;

/** What each constraint must reject, whichever code writes it. */
const REJECTED: [constraint: string, statement: string][] = [
  // no charge is recorded twice, and no price is one that cannot be charged
  [
    'payments_one_per_intent',
    copy('payments', { id: 'pay_2', processor_payment_intent_id: null, refund_intent_id: null }),
  ],
  ['payments_processor_id_once', copy('payments', { id: 'pay_2', intent_id: OTHER, refund_intent_id: null })],
  ['payments_one_refund', copy('payments', { id: 'pay_2', intent_id: OTHER, processor_payment_intent_id: null })],
  ['payments_amount_positive', set('payments', 'amount_cents = 0')],
  ['payments_paid_has_time', set('payments', `status = 'succeeded'`)],
  ['payment_losses_amount_possible', set('payment_losses', 'amount_cents = -1')],
  ['tiers_price_possible', set('tiers', 'amount_cents = -50')],
  ['tiers_currency_lower', set('tiers', `currency = 'USD'`)],
  ['processor_cursor_one_row', copy('processor_cursor', { only_row: false })],
  ['balance_proofs_one_row', `insert into balance_proofs (only_row, since, read_until) values (false, now(), now())`],

  // a payout has one step at a time, one transfer, and one receiver, which is its user's
  ['payouts_amount_positive', set('payouts', 'amount_cents = 0')],
  ['payouts_transfer_once', copy('payouts', { id: 'po_2' })],
  ['payout_steps_amount_positive', set('payout_steps', 'amount_cents = 0')],
  ['payout_steps_one_at_a_time', step('under_way')],
  ['payout_steps_one_at_a_time', step('sent')],
  ['payout_steps_one_at_a_time', step('unknown')],
  ['payout_steps_processor_id_once', `${step('done')}; ${set('payout_steps', `processor_id = 'tr_1'`)}`],
  ['connect_accounts_one_per_user', copy('connect_accounts', { id: 'con_2', processor_account_id: 'acct_2' })],
  [
    'connect_accounts_processor_id_once',
    copy('connect_accounts', { id: 'con_2', detached_at: '2026-01-01', detached_because: 'user' }),
  ],
  ['connect_accounts_detached_has_reason', set('connect_accounts', 'detached_at = now()')],

  // a payment opens one account, a subaccount serves one, and a user has one free account of a tier
  ['prop_accounts_one_per_payment', copy('prop_accounts', { id: 'prop_2', synthetic_hotkey: null, intent_id: null })],
  ['prop_accounts_one_per_subaccount', copy('prop_accounts', { id: 'prop_2', payment_id: null, intent_id: null })],
  ['prop_accounts_one_per_intent', copy('prop_accounts', { id: 'prop_2', payment_id: null, synthetic_hotkey: null })],
  [
    'prop_accounts_one_free',
    ['prop_2', 'prop_3']
      .map((id) => copy('prop_accounts', { id, payment_id: null, synthetic_hotkey: null, intent_id: null }))
      .join(';'),
  ],
  ['prop_accounts_tradeable_has_subaccount', set('prop_accounts', `status = 'funded', synthetic_hotkey = null`)],
  [
    'prop_accounts_abandoned_failed',
    set('prop_accounts', `status = 'provisioning', abandoned_at = now(), abandoned_by = 'op', abandoned_why = 'asked'`),
  ],
  ['subaccounts_id_once_per_entity', set('subaccounts', 'subaccount_id = 1')],
  ['subaccounts_one_per_intent', set('subaccounts', `intent_id = '${OTHER}'`)],
  ['registrations_one_live', copy('registrations', { id: OTHER })],
  ['registrations_paid_by_hash', set('registrations', `tx_hash = '0x1'`)],
  ['registrations_address_lower', set('registrations', `ex_address = '0xCC'`)],
  ['registrations_payer_lower', set('registrations', `payer = '0xDD'`)],

  // a wallet has one key that signs, and an order is one row
  ['signing_keys_one_live', copy('signing_keys', { id: OTHER, key_version: 2 })],
  ['signing_keys_version_once', copy('signing_keys', { id: OTHER, retired_at: '2026-01-01' })],
  ['signing_keys_wallet_lower', set('signing_keys', `ex_wallet = '0xAA'`)],
  ['signing_keys_signer_lower', set('signing_keys', `signer = '0xBB'`)],
  ['orders_handle_once', set('orders', `trader = 'e_1', handle = 'h'`)],
  ['intents_settled_has_outcome', set('intents', `outcome = null where state = 'succeeded'`)],
  ['intents_settled_has_outcome', set('intents', `settled_at = now(), outcome = '{}' where state = 'in_doubt'`)],

  // nobody is let in by half a credential, and no secret outlives its use
  ['users_unverified_have_no_password', set('users', 'verified_at = null')],
  ['users_email_once', copy('users', { id: 'usr_2' })],
  ['users_totp_has_seed', set('users', 'totp_enabled_at = now()')],
  ['admins_enrolled_has_seed', set('admins', 'totp_enrolled_at = now()')],
  ['admins_email_taken', set('admins', `email = 'op@example.com'`)],
  ['kyc_cases_verified_has_time', set('kyc_cases', `status = 'verified'`)],
  ['one_time_codes_attempts_counted', set('one_time_codes', 'attempts_left = -1')],
  ['login_codes_attempts_counted', set('login_codes', 'attempts_left = -1')],
  ['app_secrets_one_current', copy('app_secrets', { id: 'sec_2', digest: '\\x02' })],
  ['reveal_links_one_current', copy('reveal_links', { id: 'lnk_2', digest: '\\x02' })],
  ['trader_keys_key_id_once', copy('trader_keys', { id: 'tk_2', digest: '\\x02' })],
  ['mails_ended_hold_no_secret', set('mails', `state = 'sent', ended_at = now()`)],
  ['idempotent_responses_whole', set('idempotent_responses', 'sealed = null')],
  ['apps_entity_hotkey_taken', copy('apps', { id: 'app_2', slug: 'other' })],
  ['apps_network_key_needs_hotkey', set('apps', 'entity_hotkey = null')],
  ['apps_hold_a_scope', set('apps', `allowed_scopes = '{}'`)],

  // who asks does not approve, what is not approved is not used, and every action says why
  ['approvals_by_another', set('approvals', `decision = 'approved', decided_at = now(), decided_by = 'adm_1'`)],
  ['approvals_used_approved', set('approvals', 'used_at = now()')],
  [
    'approvals_used_approved',
    set('approvals', `decision = 'rejected', decided_at = now(), decided_by = 'adm_2', used_at = now()`),
  ],
  ['approvals_decided_whole', set('approvals', `decision = 'approved'`)],
  ['operator_actions_why_said', `insert into operator_actions (operator, action, why) values ('op', 'refund', ' ')`],
  ['operator_actions_who_said', `insert into operator_actions (operator, action, why) values ('', 'refund', 'asked')`],

  // an event has one place in its owner's log, and goes once to each endpoint, of its owner only
  ['events_position_once', set('events', `position = 1 where owner = 'app_1'`)],
  ['webhook_deliveries_once_per_endpoint', copy('webhook_deliveries', { id: 'whd_2' })],
  ['webhook_deliveries_of_events_owner', copy('webhook_deliveries', { id: 'whd_2', event_id: 'evt_p' })],
  [
    'webhook_deliveries_of_endpoints_owner',
    copy('webhook_deliveries', { id: 'whd_2', event_id: 'evt_p', owner: 'ptn_1' }),
  ],
  ['webhook_deliveries_in_a_lane', set('webhook_deliveries', `state = 'sending'`)],
  [
    'webhook_deliveries_one_per_lane',
    `${copy('webhook_deliveries', { id: 'whd_2', event_id: 'evt_2' })}; ${set('webhook_deliveries', `state = 'sending', lane = 0`)}`,
  ],
  ['webhook_deliveries_ended_at_end', set('webhook_deliveries', `state = 'delivered'`)],
  ['webhook_endpoints_inactive_has_reason', set('webhook_endpoints', 'active = false')],
  ['webhook_endpoints_subscribed', set('webhook_endpoints', `events = '{}'`)],
  ['agreement_signatures_one_chain', copy('agreement_signatures', { id: 'agr_2' })],
];

describe('the constraints of the database', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(MORE);
  });
  after(() => intentDb.close());

  /** The constraint that rejects a statement. Nothing of it stays. */
  async function rejecting(statement: string): Promise<string | undefined> {
    await intentDb.query('begin');
    const by = await intentDb.query(statement).then(
      () => 'nothing',
      (error) => error.constraint ?? error.message,
    );
    await intentDb.query('rollback');
    return by;
  }

  it('reject what must never be stored, whichever code writes it', async () => {
    const accepted: string[] = [];

    for (const [constraint, statement] of REJECTED) {
      const by = await rejecting(statement);
      if (by !== constraint) accepted.push(`${constraint}: ${statement} was rejected by ${by}`);
    }

    expect(accepted).to.deep.equal([]);
  });
});
