import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

/** Everything that a payout needs. */
const READY = `
  update payments set status = 'succeeded', paid_at = now(), processor_payment_intent_id = 'pi_1', stopped_for = null;
  update prop_accounts set status = 'funded', synthetic_hotkey = 'e_1';
  update kyc_cases set status = 'verified', verified_at = now();
  update connect_accounts set destination_at = now() - interval '25 hours', transfers_enabled = true;
  update payout_steps set processor_id = 'po_bank', state = 'failed';
  update lost_money set subject_id = 'po_9', user_id = 'usr_9', processor_account_id = 'acct_9';
  select reserve_earnings(p, 100) from payouts p`;
const unreadable = (object: string) =>
  `update processor_events set outcome = 'unreadable', acted_at = now(), object_id = '${object}'`;
const CLOSED = `update processor_events set closed_at = now(), closed_by = 'op', closed_why = 'seen'`;

/** What keeps a payout of 400 from being sent, of 500 that were earned, of which it takes 100 already, to an account that must be a day old. */
const CASES: [what: string, changes: string[], obstacle: string | null][] = [
  ['nothing', [], null],
  ['a payment that is stopped', [`update payments set stopped_for = 'disputed'`], 'V2_PAYMENT_RETURNED'],
  ['a payment that is not paid', [`update payments set status = 'processing', paid_at = null`], 'V2_PAYMENT_RETURNED'],
  ['an account that is not funded', [`update prop_accounts set status = 'evaluation'`], 'V2_ACCOUNT_NOT_FUNDED'],
  ['a user who is not verified', [`update kyc_cases set status = 'failed', verified_at = null`], 'V2_KYC_REQUIRED'],
  ['a user without a case', ['delete from kyc_cases'], 'V2_KYC_REQUIRED'],
  [
    'an account that is not paid out',
    ['update connect_accounts set payouts_enabled = false'],
    'V2_PAYOUT_ACCOUNT_NOT_READY',
  ],
  [
    'an account without transfers',
    ['update connect_accounts set transfers_enabled = false'],
    'V2_PAYOUT_ACCOUNT_NOT_READY',
  ],
  [
    'an account that was detached',
    [`update connect_accounts set detached_at = now(), detached_because = 'user'`],
    'V2_PAYOUT_ACCOUNT_NOT_READY',
  ],
  ['an event about the account that nobody could read', [unreadable('acct_1')], 'V2_PAYOUT_UNDER_REVIEW'],
  ['one about a payout from there', [unreadable('po_bank')], 'V2_PAYOUT_UNDER_REVIEW'],
  ['one about something else', [unreadable('acct_2')], null],
  ['one that an operator has closed', [unreadable('acct_1'), CLOSED], null],
  [
    'another destination since yesterday',
    [`update connect_accounts set destination_at = now() - interval '23 hours'`],
    'V2_PAYOUT_DESTINATION_HELD',
  ],
  [
    'what another payout takes',
    [
      `insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
       values ('po_2', 'app_1', 'usr_1', 'prop_1', 'con_1', 101, 'usd');
       select reserve_earnings(p, 101) from payouts p where p.id = 'po_2'`,
    ],
    'V2_PAYOUT_EXCEEDS_EARNINGS',
  ],
];

describe('what keeps a payout from being sent', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(READY);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  const obstacle = async (cents: number | null, more = `, 'po_1', 24`) =>
    (
      await intentDb.query<{ code: string | null }>(
        `select payout_obstacle('prop_1', 'con_1', $1, 500${more}) as code`,
        [cents],
      )
    )[0]?.code;

  for (const [what, changes, expected] of CASES)
    it(`${expected ? 'is' : 'is not'} ${what}`, async () => {
      for (const change of changes) await intentDb.query(change);

      expect(await obstacle(400)).to.equal(expected);
    });

  it('is more than was earned, to the cent', async () => {
    expect([await obstacle(500), await obstacle(501)]).to.deep.equal([null, 'V2_PAYOUT_EXCEEDS_EARNINGS']);
    expect(await obstacle(401, ''), 'of another payout').to.equal('V2_PAYOUT_EXCEEDS_EARNINGS');
  });

  it('is no transfer that the account cannot receive once the money has left the platform', async () => {
    await intentDb.query('update connect_accounts set transfers_enabled = false');

    expect(await obstacle(null)).to.equal(null);
  });

  it('is a new destination only for what is sent: it may be requested at once', async () => {
    await intentDb.query('update connect_accounts set destination_at = now()');

    expect(await obstacle(400, ', null, 24')).to.equal(null);
  });
});
