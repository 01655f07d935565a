import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

const TRANSFERRED = `
  update payout_steps set state = 'done', processor_id = 'tr_1', ended_at = now();
  update payouts set processor_transfer_id = 'tr_1', status = 'transferred';
  select post_entries('po_1', 'app_1', 'transfer', 'tr_1', now(), null, jsonb_build_array(leg('platform', 'exchange', 'usd', 100)))`;

describe('a step of a payout', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(() => intentDb.close());

  const payout = async () =>
    (await intentDb.query(`select status, pay_after from payouts where id = 'po_1'`))[0] as object;
  const cancel = async (session: Pick<IntentDatabase, 'query'> = intentDb) => {
    const [row] = await session.query<{ why: string | null }>(`select cancel_payout('po_1', 'app_1', 'usr_1') why`);
    return row?.why;
  };
  const begin = async (step: string, session: Pick<IntentDatabase, 'query'> = intentDb) => {
    const { id } = item();
    await session.query(`select begin_payout_step('po_1', $1, $2)`, [step, { id, deadline_s: 60 }]);
    return id;
  };
  const end = async (id: string, ending: string, code: string) => {
    const { fence = 0 } = (await intentDb.claim(id)) ?? {};
    await intentDb.query('select settle_intent($1, $2, $3, $4)', [id, fence, ending, { problem: { code } }]);
    return (await intentDb.query('select state from payout_steps where intent_id = $1', [id]))[0] as object;
  };

  for (const state of ['under_way', 'unknown'])
    it(`keeps its payout from being canceled while it is ${state}`, async () => {
      await intentDb.query(`update payouts set status = 'submitted'; update payout_steps set state = '${state}'`);

      expect(await cancel()).to.equal('V2_PAYOUT_NOT_PENDING');
    });

  it('keeps its payout from being canceled when it begins at this moment', async () => {
    await intentDb.query(`update payout_steps set state = 'unsent'; update payouts set status = 'pending'`);
    const [submitting, canceling] = [await intentDb.session(), await intentDb.session()];
    await submitting.query('begin');
    await submitting.query(`select from payouts where id = 'po_1' for update`);

    const canceled = cancel(canceling);
    await until('it waits for the payout', async () => (await intentDb.query(WAITING)).length > 0 || null);
    await begin('transfer', submitting);
    await submitting.query('commit');

    expect(await canceled).to.equal('V2_PAYOUT_NOT_PENDING');
  });

  it('is not followed by a payout to the bank if it is a reversal for which the processor was away', async () => {
    await intentDb.query(TRANSFERRED);
    const reversal = await begin('reversal');

    expect(await end(reversal, 'failed', 'PROCESSOR_UNREACHABLE')).to.deep.equal({ state: 'failed' });

    expect(await payout()).to.include({ pay_after: null });
  });

  it('takes back the rest, if it reverses a transfer of which a part came back already', async () => {
    await intentDb.query(TRANSFERRED);
    await intentDb.query(`select note_reversed('po_1', 30)`);
    const reversal = await begin('reversal');

    await intentDb.query(`select note_step($1, 'trr_1', null, null, now())`, [reversal]);

    const [taken] = await intentDb.query(`select amount_cents::integer from payout_steps where step = 'reversal'`);
    const [left] = await intentDb.query(`select p.status, m.reversed_cents from payouts p, payout_money(p) m`);
    expect([taken, left]).to.deep.equal([{ amount_cents: 70 }, { status: 'reversed', reversed_cents: 100 }]);
  });

  it('waits for its user if it is a transfer that nobody sent in time', async () => {
    await intentDb.query(`update payout_steps set state = 'unsent'`);
    const transfer = await begin('transfer');

    expect(await end(transfer, 'expired', 'DEADLINE_PASSED')).to.deep.equal({ state: 'unsent' });

    expect(await payout()).to.deep.equal({ status: 'pending', pay_after: null });
  });

  it('is not sent of a transfer of which the account shows nothing although it was not reversed', async () => {
    await intentDb.query(TRANSFERRED);
    const leg = await begin('payout');

    const [row] = await intentDb.query(`select fix_bank_leg($1, 0, 0, 'usd', 'py_1', 0) as verdict`, [leg]);

    expect(row).to.deep.equal({ verdict: 'unreadable' });
  });

  it('is made once if the processor rejected the transfer', async () => {
    await intentDb.query(`update payout_steps set state = 'failed', ended_at = now(), failure_reason = 'rejected'`);

    const [row] = await intentDb.query<{ verdict: string }>(
      `select verdict from submit_payout('po_1', 'app_1', 'usr_1', $1, 1000)`,
      [{ id: item().id, deadline_s: 60 }],
    );

    expect(row).to.deep.equal({ verdict: 'replayed' });
  });

  it('is not reversed while it is on its way to the bank', async () => {
    await intentDb.query(TRANSFERRED);
    const leg = await begin('payout');
    await intentDb.query(`update payout_steps set state = 'sent', processor_id = 'po_bank' where intent_id = $1`, [
      leg,
    ]);

    const [row] = await intentDb.query(
      `select verdict from reverse_payout('po_1', 'op', 'asked', jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60))`,
    );

    expect(row).to.deep.equal({ verdict: 'not_stranded' });
  });

  for (const { what, cents, currency, verdict } of [
    { what: 'another amount', cents: 99, currency: 'usd', verdict: 'unreadable' },
    { what: 'another currency', cents: 100, currency: 'eur', verdict: 'unreadable' },
    { what: 'what was sent', cents: 100, currency: 'usd', verdict: 'applied' },
  ])
    it(`is done at the bank by a report of ${what}: ${verdict}`, async () => {
      await intentDb.query(TRANSFERRED);
      const leg = await begin('payout');
      await intentDb.query(`select note_step($1, 'po_bank', null, null, null)`, [leg]);

      const [row] = await intentDb.query(`select note_bank_payout('po_bank', 'paid', $1, $2, null) as verdict`, [
        cents,
        currency,
      ]);

      expect(row).to.deep.equal({ verdict });
    });

  for (const state of ['under_way', 'sent', 'unknown'])
    it(`is not followed by another one while it is ${state}, whatever is due`, async () => {
      await intentDb.query(`
        update payout_steps set state = '${state}';
        update payouts set status = 'submitted', pay_after = now()`);

      await intentDb.query(`select pay_arrived('po_1', jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60))`);

      expect(await intentDb.query('select state from payout_steps')).to.deep.equal([{ state }]);
    });

  it('may be lost with a backup only if its transfer is older than the recovery', async () => {
    await intentDb.query(TRANSFERRED);
    const transferSent = (at: string) =>
      intentDb.query(`
        update intents i set sending_at = r.recovered_at ${at}
        from payout_steps s, recoveries r where s.intent_id = i.id`);
    const isLost = async () =>
      (await intentDb.query<{ ok: boolean }>(`select lost_leg_since('po_1') is not null as ok`))[0]?.ok;

    await transferSent(`+ interval '1 second'`);
    expect(await isLost()).to.equal(false);
    await transferSent(`- interval '1 second'`);

    expect(await isLost()).to.equal(true);
  });

  it('may be lost since the oldest recovery after which none of the payout has ended', async () => {
    await intentDb.query(TRANSFERRED);
    await intentDb.query(`
      update intents i set sending_at = now() - interval '9 hours' from payout_steps s where s.intent_id = i.id;
      delete from recoveries;
      insert into recoveries (since, recovered_at)
      select now() - make_interval(hours => h + 1), now() - make_interval(hours => h) from unnest(array[2, 5]) h`);
    const lostSince = async () =>
      (
        await intentDb.query<{ hours: number }>(
          `select round(extract(epoch from now() - lost_leg_since('po_1')) / 3600)::integer as hours`,
        )
      )[0]?.hours;
    /** A payout to the bank in this state, whose intent ended so many hours ago. */
    const leg = (state: string, hours: number) =>
      intentDb.query(`
        delete from payout_steps where step = 'payout';
        insert into payout_steps (intent_id, payout_id, step, amount_cents, currency, state)
        select i.id, 'po_1', 'payout', 100, 'usd', '${state}' from intents i where i.kind = 'accounts/provision';
        update intents set settled_at = now() - make_interval(hours => ${hours}) where kind = 'accounts/provision'`);

    expect(await lostSince(), 'no leg').to.equal(6);
    for (const state of ['done', 'failed']) {
      await leg(state, 8);
      expect(await lostSince(), `${state} before`).to.equal(6);
      await leg(state, 4);
      expect(await lostSince(), `${state} between`).to.equal(3);
      await leg(state, 1);
      expect(await lostSince(), `${state} since`).to.equal(null);
    }
    await leg('unsent', 1);
    expect(await lostSince(), 'never sent').to.equal(6);
    const next = await begin('payout');
    expect(
      await intentDb.query(
        `select presumed_sent_at < now() - interval '5 hours' as is_presumed, deadline_at > now() + interval '23 hours' as has_time
         from intents where id = $1`,
        [next],
      ),
    ).to.deep.equal([{ is_presumed: true, has_time: true }]);
  });

  it('is resolved by what was found of it: not by what was found of an earlier one, nor with the object of another', async () => {
    await intentDb.query(TRANSFERRED);
    const [first, second] = [await begin('payout'), item().id];
    const resolve = async (found: string | null, looked: string) =>
      (
        await intentDb.query<{ verdict: string }>(
          `select resolve_payout('po_1', 'op', 'looked up', $1, null, null, $2) as verdict`,
          [found, looked],
        )
      )[0]?.verdict;
    await intentDb.query(`update payout_steps set state = 'unknown' where intent_id = $1`, [first]);
    expect(await resolve(null, first)).to.equal('done');
    await intentDb.query(`select begin_payout_step('po_1', 'payout', $1)`, [{ id: second, deadline_s: 60 }]);
    await intentDb.query(`update payout_steps set state = 'unknown' where intent_id = $1`, [second]);

    expect(await resolve(null, first)).to.equal('not_open');
    for (const mistaken of ['tr_1', 'po_other ', 'po_other\n', 'po_', 'po_other, po_another', ''])
      expect(await resolve(mistaken, second), mistaken).to.equal('malformed');
    await intentDb.query(`update payout_steps set processor_id = 'po_bank' where intent_id = $1`, [first]);
    expect(await resolve('po_bank', second)).to.equal('taken');

    expect(await intentDb.query('select state from payout_steps where intent_id = $1', [second])).to.deep.equal([
      { state: 'unknown' },
    ]);
    expect(await resolve('po_other', second)).to.equal('done');
  });

  it('is not taken up for a canceled payout whose transfer was lost with a backup', async () => {
    await intentDb.query(`
      delete from payout_steps;
      update payouts set status = 'canceled', canceled_at = now();
      update lost_money set subject_id = 'po_1', processor_account_id = 'acct_1'`);

    expect(await intentDb.query('select submit_lost_transfers()')).to.deep.equal([]);
  });
});
