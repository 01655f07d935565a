import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

/** A bank has paid a payout, another one took it back, it was sent again, and then the bank refuses the one that took it back. */
describe('a payout that the bank has kept after it was sent again', () => {
  let intentDb: IntentDatabase;
  let first: string;
  let again: string;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query('delete from recoveries');
    await intentDb.query(`
      update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
      update payouts set processor_transfer_id = 'tr_1', status = 'transferred';
      select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)));
      select note_holding('po_1', 'acct_1', 0, 'usd', '[{"id": "py_1", "net": 100, "at_ms": 0}]')`);
    first = await begin('payout');
    await make(first, 'po_first');
    await report('po_first', 'paid');
    await report('po_first', 'reversed', 'po_back');
    again = await begin('payout');
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  const itemOf = (id: string) => ({ id, deadline_s: 60 });
  async function begin(step: string): Promise<string> {
    const { id } = item();
    await intentDb.query(`select begin_payout_step('po_1', $1, $2)`, [step, itemOf(id)]);
    return id;
  }
  const make = (intent: string, payout: string) =>
    intentDb.query(`select note_step($1, $2, null, null, null)`, [intent, payout]);
  const report = (payout: string, status: string, back: string | null = null) =>
    intentDb.query(`select note_bank_payout($1, $2, 100, 'usd', null, null, $3)`, [payout, status, back]);
  const fix = async () => {
    const [row] = await intentDb.query<{ verdict: string }>(
      `select fix_bank_leg($1, 0, 100, 'usd', 'py_1', 0) as verdict`,
      [again],
    );
    return row?.verdict;
  };
  const fail = (intent: string, code: string) =>
    intentDb.query(
      `with ended as (
        update intents set state = 'failed', settled_at = now(), outcome = $2 where id = $1 returning id
      )
      select fail_payout_step(id) from ended`,
      [intent, { problem: { code } }],
    );
  const statusOf = async () => (await intentDb.query<{ status: string }>('select status from payouts'))[0]?.status;
  const listed = () =>
    intentDb.query<{ safe_action: string; status: string }>('select * from ops.list_stranded_payouts()');
  const reverse = async () => {
    const [row] = await intentDb.query<{ verdict: string }>(
      `select verdict from reverse_payout('po_1', 'op', 'why', $1)`,
      [itemOf(item().id)],
    );
    return row?.verdict;
  };

  it('is sent only while the first one is not kept', async () => {
    const before = await fix();
    await report('po_first', 'kept', 'po_back');
    const after = await fix();

    expect([before, after]).to.deep.equal(['fixed', 'reversed']);
  });

  it('is not sent either where the bank takes whole units only, and a rest stays at the account', async () => {
    await intentDb.query(`select note_holding('po_1', 'acct_1', 0, 'usd', '[{"id": "py_2", "net": 34, "at_ms": 0}]')`);
    await report('po_first', 'kept', 'po_back');

    expect(await fix()).to.equal('reversed');
  });

  it('is submitted no more: whoever tries gets what came of the first one, and not that the later one failed', async () => {
    await report('po_first', 'kept', 'po_back');
    await fail(again, 'PROCESSOR_SHORT');

    const submission = await intentDb.query(
      `select s.* from payouts p, submit_payout(p.id, p.owner, p.user_id, $1, 0) s`,
      [itemOf(item().id)],
    );

    expect(submission).to.deep.equal([{ verdict: 'replayed', intent_id: first }]);
  });

  it('is listed once, also if the bank has kept two of three', async () => {
    await make(again, 'po_second');
    await report('po_second', 'paid');
    await report('po_second', 'reversed', 'po_other');
    await make(await begin('payout'), 'po_third');
    for (const [kept, back] of [
      ['po_first', 'po_back'],
      ['po_second', 'po_other'],
    ] as const)
      await report(kept, 'kept', back);

    expect(await listed()).to.have.length(1);
  });

  it('is reported with what the bank has kept, also if less was sent again', async () => {
    await intentDb.query(`
      select note_holding('po_1', 'acct_1', 40, 'usd', '[{"id": "pyr_1", "net": -40, "at_ms": 1}]')`);
    await intentDb.query(`select fix_bank_leg($1, 40, 60, 'usd', 'py_1', 0)`, [again]);
    await make(again, 'po_second');
    await report('po_first', 'kept', 'po_back');

    const [event] = await intentDb.query(`
      select event_body(e)::jsonb -> 'data' ->> 'bank_amount_cents' as cents
      from events e
      where e.type = 'payout.completed'
      order by e.position desc
      limit 1`);
    expect(event).to.deep.equal({ cents: '100' });
  });

  it('is completed, and waits for nothing, if it was not sent', async () => {
    await report('po_first', 'kept', 'po_back');
    await fail(again, 'PROCESSOR_SHORT');

    const [row] = await intentDb.query('select status, pay_after, delayed_for, failure_reason from payouts');
    expect(row).to.deep.equal({ status: 'completed', pay_after: null, delayed_for: null, failure_reason: null });
    expect(await listed()).to.deep.equal([]);
    expect(await reverse()).to.equal('not_stranded');
  });

  it('is listed while the bank has both, in whatever order it says so', async () => {
    await make(again, 'po_second');
    await report('po_first', 'kept', 'po_back');
    const sent = await listed();
    await report('po_second', 'paid');
    const paid = await listed();
    await report('po_second', 'reversed', 'po_other');

    for (const list of [sent, paid])
      expect(list.map(({ status, safe_action }) => [status, safe_action])).to.deep.equal([
        [
          'completed',
          'let the processor take the later payout back: the bank has kept the earlier one, which was sent again',
        ],
      ]);
    expect(await listed()).to.deep.equal([]);
    expect(await statusOf()).to.equal('completed');
    expect(await reverse()).to.equal('not_stranded');
  });

  it('is not listed if the bank keeps it before it is sent again', async () => {
    await fail(again, 'V2_PAYOUT_NOT_AVAILABLE');
    await report('po_first', 'kept', 'po_back');

    expect(await listed()).to.deep.equal([]);
    expect(await statusOf()).to.equal('completed');
  });

  it('has failed if the bank returns it after all, while none is sent again', async () => {
    await report('po_first', 'kept', 'po_back');
    await fail(again, 'V2_PAYOUT_REVERSED');
    await report('po_first', 'failed');
    await intentDb.query('set constraints all immediate'); // as a commit does

    const [event] = await intentDb.query(`
      select e.type, event_body(e)::jsonb -> 'data' ->> 'failure_reason' as reason
      from events e
      order by e.position desc
      limit 1`);
    expect(event).to.deep.equal({ type: 'payout.failed', reason: 'failed' });
    expect((await listed()).map(({ status, safe_action }) => [status, safe_action])).to.deep.equal([
      ['failed', 'submit again, or reverse'],
    ]);
    expect(await reverse()).to.equal('accepted');
    expect(await statusOf()).to.equal('failed');
  });
});
