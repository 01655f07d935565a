import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

/** `steps`: what followed the transfer, oldest first. `days`: since it was submitted. */
type Case = { what: string; status: string; days?: number; steps?: [step: string, state: string][]; payout?: string };

const LISTED: [Case, action: string][] = [
  [{ what: 'whose leg failed', status: 'failed', steps: [['payout', 'failed']] }, 'submit again, or reverse'],
  [
    {
      what: 'whose reversal failed too',
      status: 'failed',
      steps: [
        ['payout', 'failed'],
        ['reversal', 'failed'],
      ],
    },
    'submit again, or reverse',
  ],
  [
    { what: 'whose leg may have been sent', status: 'transferred', steps: [['payout', 'unknown']] },
    'look up: the effect of the payout to the bank is unknown',
  ],
  [
    {
      what: 'whose reversal may have been made',
      status: 'failed',
      steps: [
        ['payout', 'failed'],
        ['reversal', 'unknown'],
      ],
    },
    'look up: the effect of the reversal is unknown',
  ],
  [
    { what: 'of which the bank says nothing for 8 days', status: 'transferred', days: 8, steps: [['payout', 'sent']] },
    'look at the processor: the bank has not reported the payout',
  ],
  [
    {
      what: 'that the processor delays for 8 days',
      status: 'transferred',
      days: 8,
      steps: [['payout', 'unsent']],
      payout: `pay_after = now(), delayed_for = 'processor_short', delayed_since = now()`,
    },
    'wait: processor_short; or reverse',
  ],
  [
    {
      what: 'whose money is not available for 8 days',
      status: 'transferred',
      days: 8,
      steps: [['payout', 'unsent']],
      payout: 'pay_after = now()',
    },
    'wait: the money is not available at the payout account yet; or reverse',
  ],
];

const NOT_LISTED: Case[] = [
  { what: 'that is on its way for 6 days', status: 'transferred', days: 6, steps: [['payout', 'sent']] },
  {
    what: 'that is delayed for 6 days',
    status: 'transferred',
    days: 6,
    payout: `delayed_since = now(), delayed_for = 'x'`,
  },
  { what: 'that the bank has', status: 'completed', days: 8, steps: [['payout', 'done']] },
  { what: 'that came back', status: 'reversed', days: 8, steps: [['reversal', 'done']] },
  { what: 'whose transfer failed', status: 'failed', days: 8, payout: 'processor_transfer_id = null' },
  { what: 'that nobody submitted', status: 'pending', payout: 'processor_transfer_id = null, submitted_at = null' },
];

describe('the list of stranded payouts', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`update payout_steps set state = 'done', processor_id = 'tr_1'`);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  async function actionFor({ status, days = 0, steps = [], payout }: Case): Promise<string | null> {
    await intentDb.query(`
      update payouts set status = '${status}', processor_transfer_id = 'tr_1', submitted_at = now() - interval '${days} days'`);
    if (payout) await intentDb.query(`update payouts set ${payout}`);
    for (const [step, state] of steps)
      await intentDb.query(
        `insert into payout_steps (intent_id, payout_id, step, amount_cents, currency, state) values ($1, 'po_1', $2, 100, 'usd', $3)`,
        [item().id, step, state],
      );
    const [row] = await intentDb.query<{ safe_action: string }>('select safe_action from ops.list_stranded_payouts()');
    return row?.safe_action ?? null;
  }

  for (const [one, action] of LISTED)
    it(`has one ${one.what}: ${action}`, async () => {
      expect(await actionFor(one)).to.equal(action);
    });

  for (const one of NOT_LISTED)
    it(`lacks one ${one.what}`, async () => {
      expect(await actionFor(one)).to.equal(null);
    });

  it('has one whose transfer may have been sent, before the processor’s id of it is known', async () => {
    await intentDb.query(`update payout_steps set state = 'unknown', processor_id = null`);

    expect(await actionFor({ what: '', status: 'submitted', payout: 'processor_transfer_id = null' })).to.equal(
      'look up: the effect of the transfer is unknown',
    );
  });
});
