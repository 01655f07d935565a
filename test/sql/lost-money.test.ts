import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const [LOST, KNOWN] = ['00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-000000000005'];

describe('money whose rows were lost with a backup', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query('delete from lost_money; delete from payout_steps');
  });
  afterEach(() => intentDb.close());

  const made = (more: object = {}) => ({
    ...{ kind: 'transfer', id: 'tr_1', intentId: LOST, subjectId: 'po_9', cents: 100, currency: 'usd', status: null },
    ...{ accountId: 'acct_1', userId: 'usr_1', appId: null, madeAtMs: 0, ...more },
  });
  const keep = async (...all: object[]) =>
    (
      await intentDb.query<{ id: string }>('select processor_id as id from keep_lost_money($1)', [JSON.stringify(all)])
    ).map(({ id }) => id);
  const listed = () =>
    intentDb.query<{ safe_action: string }>(
      'select processor_id, amount_cents, status, user_id, safe_action from ops.lost_money order by processor_id',
    );
  const reserved = async (besides: string | null = null) =>
    (
      await intentDb.query<{ cents: number }>(`select reserved_cents_of('{prop_1}', $1)::integer as cents`, [besides])
    )[0]?.cents;

  it('is not what this database has the intent or the transfer of', async () => {
    await intentDb.query(`update payouts set processor_transfer_id = 'tr_2'`);

    expect(await keep(made(), made({ id: 'tr_2' }), made({ id: 'tr_3', intentId: KNOWN }))).to.deep.equal(['tr_1']);
  });

  it('is as it was read last: reversed and paid meanwhile, with the user that was found first', async () => {
    const payment = { kind: 'payment', id: 'pi_1', subjectId: 'pay_9', accountId: null, userId: null };
    await keep(made(), made({ ...payment, status: 'processing' }));
    await keep(made({ cents: 30, userId: null }), made({ ...payment, status: 'succeeded' }));

    const [paid, transfer] = await listed();
    expect(transfer).to.include({ amount_cents: 30, user_id: 'usr_1' });
    expect(paid).to.include({ status: 'succeeded', user_id: null });
  });

  it('has a safe action for each state, and is listed until a payout here has its transfer', async () => {
    const payment = { kind: 'payment', accountId: null, subjectId: 'pay_9' };
    await keep(
      made({ userId: null }),
      ...['canceled', 'requires_action', 'succeeded'].map((status, n) => made({ ...payment, id: `pi_${n}`, status })),
    );

    expect((await listed()).map(({ safe_action }) => safe_action.split(/[ :]/, 1)[0])).to.deep.equal([
      'none',
      'cancel',
      'refund',
      'look',
    ]);
    expect((await listed()).at(-1), 'by its account').to.include({ user_id: 'usr_1' });
    await intentDb.query(`update payouts set processor_transfer_id = 'tr_1'`);
    expect(await listed()).to.have.length(3);
  });

  it('counts once against what its receiver earned: in its payout, else as such', async () => {
    expect(await reserved()).to.equal(0);
    await keep(made({ userId: null }));
    expect(await reserved(), 'by its account').to.equal(100);
    await keep(made({ id: 'tr_2', accountId: 'acct_lost', cents: 20 }));
    expect(await reserved(), 'by its user, whose account is lost too').to.equal(120);
    await keep(made({ id: 'tr_3', accountId: 'acct_lost', userId: 'usr_2', cents: 7 }));
    expect(await reserved(), 'of another user').to.equal(120);
    await keep(made({ kind: 'payment', id: 'pi_1', accountId: null, cents: 5 }));
    expect(await reserved(), 'paid in').to.equal(120);

    await intentDb.query(`update lost_money set subject_id = 'po_1' where processor_id = 'tr_1'`);
    expect(await reserved(), 'its payout takes nothing').to.equal(120);
    await intentDb.query(`select reserve_earnings(p, 100) from payouts p`);

    expect(await reserved(), 'in its payout').to.equal(120);
    expect(await reserved('po_1'), 'besides its payout').to.equal(20);
    await intentDb.query(
      `update payouts set processor_transfer_id = 'tr_1'; select reserve_earnings(p, 0) from payouts p`,
    );
    expect(await reserved(), 'its payout has it, and it came back').to.equal(20);
  });

  describe('is taken up by its payout that is open here', () => {
    beforeEach(() =>
      intentDb.query(`
        insert into users (id, app_id, email) values ('usr_2', 'app_1', 'b@example.com');
        insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted, detached_at, detached_because)
        values ('con_2', 'app_1', 'usr_2', 'acct_2', true, true, true, null, null),
          ('con_3', 'app_1', 'usr_1', 'acct_3', true, true, true, now(), 'user')`),
    );
    const takeUp = async () =>
      (await intentDb.query<{ id: string }>('select * from submit_lost_transfers() as t (id)')).map(({ id }) => id);
    const receiver = async () => (await intentDb.query('select connect_account_id as id from payouts'))[0];

    it('at the account that received it, which may be detached since, and looked for', async () => {
      await keep(made({ subjectId: 'po_1', accountId: 'acct_3', userId: null }));

      expect(await takeUp()).to.deep.equal(['po_1']);

      expect(await receiver()).to.deep.equal({ id: 'con_3' });
      expect(
        await intentDb.query(`
          select s.step, s.state, i.presumed_sent_at = to_timestamp(0) as is_presumed, i.deadline_at > now() + interval '23 hours' as has_time
          from payout_steps s
          join intents i on i.id = s.intent_id`),
      ).to.deep.equal([{ step: 'transfer', state: 'under_way', is_presumed: true, has_time: true }]);
      expect(await takeUp(), 'once').to.deep.equal([]);
    });

    it('never at the account of another user', async () => {
      await keep(made({ subjectId: 'po_1', accountId: 'acct_2' }));

      await takeUp();

      expect(await receiver()).to.deep.equal({ id: 'con_1' });
    });

    it('by the first of several', async () => {
      await keep(
        made({ subjectId: 'po_1', accountId: 'acct_1', madeAtMs: 5_000 }),
        made({ id: 'tr_0', subjectId: 'po_1', accountId: 'acct_3' }),
      );

      expect(await takeUp()).to.deep.equal(['po_1']);
      expect(await receiver()).to.deep.equal({ id: 'con_3' });
    });
  });
});
