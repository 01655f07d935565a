import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

type Step = 'transfer' | 'payout' | 'reversal';
/** `waits`: it is requested again by itself. `reserved`: what the payout takes of the earnings, of 100. */
type After = { state: string; status: string; waits: boolean; reserved: number };

const NOT_ITS_FAULT = ['PROCESSOR_SHORT', 'PROCESSOR_AUTH', 'PROCESSOR_UNREACHABLE', 'PROCESSOR_UNREADABLE'];
const waits = { state: 'unsent', waits: true, reserved: 100 };
const ends = { waits: false, reserved: 100 };

const ENDINGS: [step: Step, ending: 'failed' | 'expired', problem: { code: string; effect?: string }, after: After][] =
  [
    ...NOT_ITS_FAULT.flatMap((code): typeof ENDINGS => [
      ['transfer', 'failed', { code }, { ...waits, status: 'submitted' }],
      ['payout', 'failed', { code }, { ...waits, status: 'transferred' }],
      ['reversal', 'failed', { code }, { ...ends, state: 'failed', status: 'transferred' }],
    ]),
    ['transfer', 'expired', { code: 'PROCESSOR_UNREACHABLE' }, { ...waits, status: 'submitted' }],
    ['payout', 'expired', { code: 'DEADLINE_PASSED' }, { ...waits, status: 'transferred' }],
    ['transfer', 'expired', { code: 'DEADLINE_PASSED' }, { ...ends, state: 'unsent', status: 'pending' }],
    ['transfer', 'failed', { code: 'PROCESSOR_REJECTED' }, { ...ends, state: 'failed', status: 'failed', reserved: 0 }],
    ['payout', 'failed', { code: 'PROCESSOR_REJECTED' }, { ...ends, state: 'failed', status: 'failed' }],
    ['payout', 'failed', { code: 'V2_PAYOUT_NOT_AVAILABLE' }, { ...ends, state: 'unsent', status: 'transferred' }],
    ['payout', 'failed', { code: 'V2_PAYOUT_REVERSED' }, { ...ends, state: 'unsent', status: 'transferred' }],
    ...(['transfer', 'payout', 'reversal'] as const).flatMap((step): typeof ENDINGS =>
      ['PROCESSOR_SILENT', 'PROCESSOR_UNREACHABLE'].map((code) => [
        step,
        'failed',
        { code, effect: 'unknown' },
        { ...ends, state: 'unknown', status: step === 'transfer' ? 'submitted' : 'transferred' },
      ]),
    ),
  ];

describe('a step of a payout that ended without a known effect', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query('delete from recoveries; delete from payout_steps');
  });
  after(() => intentDb.close());

  /** Ends a step like this; of one that follows a transfer, the transfer was made before. */
  async function end(step: Step, ending: string, problem: object): Promise<string> {
    const { id } = item();
    if (step !== 'transfer')
      await intentDb.query(`
        insert into payout_steps (intent_id, payout_id, step, amount_cents, currency, state, processor_id)
        select i.id, 'po_1', 'transfer', 100, 'usd', 'done', 'tr_1' from intents i where i.kind = 'accounts/provision' on conflict do nothing;
        update payouts set processor_transfer_id = 'tr_1';
        select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100 - m.transferred_cents)))
        from payouts p, payout_money(p) m`);
    await intentDb.query(`select begin_payout_step('po_1', $1, $2)`, [step, { id, deadline_s: 60 }]);
    const { fence = 0 } = (await intentDb.claim(id)) ?? {};
    await intentDb.query('select settle_intent($1, $2, $3, $4)', [id, fence, ending, { problem }]);
    return id;
  }

  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  for (const [step, ending, problem, after] of ENDINGS)
    it(`${step} ${ending} by ${problem.code}${problem.effect ? ', effect unknown' : ''}: ${after.state}${after.waits ? ', and waits' : ''}`, async () => {
      const id = await end(step, ending, problem);

      const [row] = await intentDb.query(
        `select s.state, p.status, p.pay_after is not null as waits, m.reserved_cents as reserved
         from payout_steps s
         join payouts p on p.id = s.payout_id
         cross join lateral payout_money(p) m
         where s.intent_id = $1`,
        [id],
      );
      expect(row).to.deep.equal(after);
      const [{ delayed_for } = { delayed_for: null }] = await intentDb.query<{ delayed_for: string | null }>(
        'select delayed_for from payouts',
      );
      expect(delayed_for).to.equal(after.waits ? problem.code.toLowerCase() : null);
    });

  it('is requested again after a minute, then after a quarter of its delay, at last hourly, and is delayed since its first failure', async () => {
    const waited: [number, number][] = [];
    for (const minutes of [0, 40, 600]) {
      await intentDb.query(`update payouts set delayed_since = delayed_since - make_interval(mins => $1)`, [minutes]);
      await end('payout', 'failed', { code: 'PROCESSOR_SHORT' });
      const [{ next, since } = { next: 0, since: 0 }] = await intentDb.query<{ next: number; since: number }>(`
        select round(extract(epoch from pay_after - now()) / 60)::integer as next,
          round(extract(epoch from now() - delayed_since) / 60)::integer as since
        from payouts`);
      waited.push([next, since]);
    }

    expect(waited).to.deep.equal([
      [1, 0],
      [10, 40],
      [60, 640],
    ]);
  });
});
