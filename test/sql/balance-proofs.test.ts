import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

type Reading = { shown: number; posted: number; differs: boolean; since: Date | null };

describe('the ledger beside the processor’s balances', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(`
      update payout_steps set state = 'done';
      select post_entries('po_1', 'app_1', 'arrival', 'py_1', now(), 'acct_1', held_legs('po_1', 'exchange', 'usd', 100))`);
  });
  afterEach(() => intentDb.close());

  const note = async (shown: object[]) =>
    (
      await intentDb.query<{ differs: boolean }>(`select note_balance('acct_1', $1) as differs`, [
        JSON.stringify(shown),
      ])
    )[0]?.differs;
  const usd = (amount: number) => [{ currency: 'usd', amount }];
  const readings = () =>
    intentDb.query<Reading>(`
      select shown::integer, posted::integer, differs_since is not null as differs, differs_since as since
      from balance_readings
      where currency = 'usd'`);

  it('are not compared at an account while money moves there: a step is under way or unknown, or its arrival unread', async () => {
    for (const state of ['under_way', 'unknown']) {
      await intentDb.query(`update payout_steps set state = '${state}'`);
      expect(await note(usd(40)), state).to.equal(false);
    }
    await intentDb.query(`update payout_steps set state = 'done'; update payouts set is_unread = true`);
    expect(await note(usd(40)), 'unread').to.equal(false);
    expect(await readings()).to.deep.equal([]);

    await intentDb.query('update payouts set is_unread = false');
    expect(await note(usd(40))).to.equal(true);

    expect(await readings()).to.have.length(1);
  });

  it('differ since the first reading that showed it, until one agrees, in each currency', async () => {
    expect(await note(usd(40))).to.equal(true);
    await intentDb.query(`update balance_readings set differs_since = differs_since - interval '1 day'`);
    const [first] = await readings();
    expect(await note([...usd(30), { currency: 'eur', amount: 0 }])).to.equal(true);
    const [again] = await readings();
    expect(await note([...usd(60), ...usd(40)]), 'in two parts').to.equal(false);

    expect(first).to.include({ shown: 40, posted: 100, differs: true });
    expect(again).to.deep.equal({ ...first, shown: 30 });
    expect(await readings()).to.deep.equal([{ shown: 100, posted: 100, differs: false, since: null }]);
    expect(await note([]), 'nothing is there any more').to.equal(true);
  });

  it('count at an account what is overdrawn there, and nothing of other accounts', async () => {
    await intentDb.query(`
      select post_entries('po_1', 'app_1', 'arrival', 'pyr_1', now(), 'acct_1', held_legs('po_1', 'exchange', 'usd', -130));
      select post_entries('po_8', 'app_1', 'arrival', 'py_8', now(), 'acct_8', held_legs('po_8', 'exchange', 'usd', 500))`);

    expect(await note(usd(-30))).to.equal(false);
  });

  describe('of the platform', () => {
    const prove = async (minutes: number) => {
      await intentDb.query(`select prove_platform(now() - interval '1 day', $1)`, [minutes]);
      return intentDb.query(
        `select subject, posted::integer, shown::integer from balance_differences order by subject`,
      );
    };
    const shown = (id: string, amount: number, ago: string) =>
      intentDb.query(
        `insert into balance_changes (id, subject, amount, fee, currency, said_at) values ($1, 'pay_1', $2, 0, 'usd', now() - $3::interval)`,
        [id, amount, ago],
      );
    const readUntilNow = (since: string) =>
      intentDb.query(`insert into balance_proofs (since, read_until) values (now() - $1::interval, now())`, [since]);

    it('are not judged while the money may still be under way, and differ until they agree', async () => {
      await readUntilNow('1 year');
      await shown('txn_1', 700, '30 minutes');

      expect(await prove(60), 'under way').to.deep.equal([]);
      expect(await prove(20)).to.deep.equal([{ subject: 'pay_1', posted: 0, shown: 700 }]);
      await intentDb.query(`update balance_changes set said_at = now() - interval '3 days'`);
      expect(await prove(20), 'although nothing moved for days').to.have.length(1);
      await intentDb.query(`
        select post_entries('pay_1', 'app_1', 'payment', 'pi_1', now() - interval '2 days', null,
          jsonb_build_array(leg('receipts', 'platform', 'usd', 700)))`);

      expect(await prove(20)).to.deep.equal([]);
    });

    it('differ where the ledger has what the processor does not show', async () => {
      await readUntilNow('1 year');
      await intentDb.query(`
        select post_entries('pay_1', 'app_1', 'payment', 'pi_1', now() - interval '1 hour', null,
          jsonb_build_array(leg('receipts', 'platform', 'usd', 700)))`);

      expect(await prove(20)).to.deep.equal([{ subject: 'pay_1', posted: 700, shown: 0 }]);
    });

    it('leave out a payment by direct debit until its bank has decided: the processor books it when it begins', async () => {
      const moveTo = (status: string) => intentDb.query(`update payments set status = '${status}'`);
      await readUntilNow('1 year');
      await shown('txn_1', 700, '5 hours');
      await moveTo('processing');
      expect(await prove(20)).to.deep.equal([]);

      await moveTo('requires_payment_method');
      expect(await prove(20), 'what was booked is not taken back').to.have.length(1);
      await shown('txn_2', -700, '1 hour');
      expect(await prove(20)).to.deep.equal([]);
    });

    it('are not judged of what was bought before the first proof', async () => {
      await intentDb.query(`update payments set created_at = now() - interval '1 day'`);
      await readUntilNow('1 hour');
      await shown('txn_1', 700, '30 minutes');

      expect(await prove(20)).to.deep.equal([]);
    });

    it('are read on from the newest end of a reading, and no change counts twice', async () => {
      await intentDb.query(`update payments set processor_payment_intent_id = 'pi_1'`);
      const change = {
        id: 'txn_1',
        objectId: 'pi_1',
        cents: 700,
        feeCents: 50,
        currency: 'usd',
        madeCents: 700,
        madeCurrency: 'usd',
        rate: null,
        atMs: 0,
      };
      const take = async (until: string) =>
        (
          await intentDb.query<{ taken: number }>(
            `select take_balance_changes($1, now() - interval '1 day', now() - $2::interval)::integer as taken`,
            [JSON.stringify([change]), until],
          )
        )[0]?.taken;

      expect([await take('1 minute'), await take('1 hour')]).to.deep.equal([1, 0]);

      expect(await intentDb.query(`select ledger_sum('pay_1', '{fees}', 'usd')::integer as fees`)).to.deep.equal([
        { fees: 50 },
      ]);
      expect(
        await intentDb.query(`select from balance_proofs where read_until > now() - interval '10 minutes'`),
      ).to.have.length(1);
    });
  });
});
