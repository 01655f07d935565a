import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { failedAccount, lose, sellTier } from '../support/operator.ts';
import { until } from '../support/processes.ts';

describe('an account whose payment was disputed, once the dispute is won', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await sellTier(intentDb);
  });
  after(() => intentDb.close());

  /** A paid account whose creation is as this statement leaves it (`$1`: its intent), and what is read of it. */
  async function account(creation: string) {
    const { id, paymentId, intentId } = await failedAccount(intentDb);
    await intentDb.query(`update prop_accounts set status = 'provisioning', failure_reason = null where id = $1`, [id]);
    await intentDb.query(`update intents set request = $2 where id = $1`, [intentId, { prop_account_id: id }]);
    await intentDb.query(creation, creation.includes('$1') ? [intentId] : []);
    const dispute = (status: string, n = 1, session: DbSession = intentDb) =>
      lose(session, paymentId, { kind: 'dispute', id: `dp_${n}_${id}`, cents: 19_900, status });
    const state = async () => {
      const [row] = await intentDb.query<{ status: string; why: string | null; creations: number; is_first: boolean }>(
        `select a.status, a.failure_reason as why, a.intent_id = $2 as is_first,
           (select count(*)::integer from intents i where i.kind = 'accounts/provision' and i.request ->> 'prop_account_id' = a.id) as creations
         from prop_accounts a
         where a.id = $1`,
        [id, intentId],
      );
      return row;
    };
    return { id, paymentId, intentId, dispute, state };
  }
  const UNDER_WAY = `update intents set state = 'in_doubt', settled_at = null, outcome = null where id = $1`;
  const STOPPED = `update intents set outcome = '{"problem": {"code": "V2_ACCOUNT_STOPPED"}}' where id = $1`;
  const REJECTED = `update intents set outcome = '{"problem": {"code": "VENUE_REJECTED", "reason": "no_collateral"}}' where id = $1`;

  it('waits for the creation that is under way, and requests no second one', async () => {
    const { dispute, state } = await account(UNDER_WAY);
    await dispute('needs_response');
    expect(await state()).to.include({ status: 'eliminated', why: 'disputed' });

    await dispute('won');

    expect(await state()).to.deep.equal({ status: 'provisioning', why: null, creations: 1, is_first: true });
  });

  it('is created, if its creation was not sent because it was stopped', async () => {
    const { dispute, state } = await account(STOPPED);
    await dispute('needs_response');

    await dispute('won');

    expect(await state()).to.deep.equal({ status: 'provisioning', why: null, creations: 2, is_first: false });
  });

  it('is created, if its creation found it stopped and ends only after that', async () => {
    const { intentId, dispute, state } = await account(UNDER_WAY);
    await dispute('needs_response');
    await dispute('won');

    await intentDb.query(`select settle_intent(id, fence, 'failed', $2) from intents where id = $1`, [
      intentId,
      { problem: { code: 'V2_ACCOUNT_STOPPED' } },
    ]);

    expect(await state()).to.deep.equal({ status: 'provisioning', why: null, creations: 2, is_first: false });
  });

  for (const [end, code, expected] of [
    ['found it stopped', 'V2_ACCOUNT_STOPPED', { status: 'provisioning', why: null, creations: 2, is_first: false }],
    [
      'was rejected',
      'VENUE_REJECTED',
      { status: 'subaccount_failed', why: 'venue_rejected', creations: 1, is_first: true },
    ],
  ] as const)
    it(`goes on as its creation ended, if that ends at this moment: it ${end}`, async () => {
      const { intentId, dispute, state } = await account(UNDER_WAY);
      await dispute('needs_response');
      const [winning, ending] = [await intentDb.session(), await intentDb.session()];

      await winning.query('begin');
      await dispute('won', 1, winning);
      const ended = ending.query(`select settle_intent(id, fence, 'failed', $2) from intents where id = $1`, [
        intentId,
        { problem: { code } },
      ]);
      await Promise.race([ended, until('it waits', async () => (await intentDb.query(WAITING)).length > 0)]);
      await winning.query('commit');
      await ended;

      expect(await state()).to.deep.equal(expected);
    });

  it('has failed as its creation has in the meantime, and is not created again unasked', async () => {
    const { dispute, state } = await account(REJECTED);
    await dispute('needs_response');

    await dispute('won');

    expect(await state()).to.deep.equal({
      ...{ status: 'subaccount_failed', why: 'no_collateral', creations: 1, is_first: true },
    });
  });

  it('is compared with the network, if it was created, and not created again', async () => {
    const { id, dispute, state } = await account('select');
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ($1, 'e', 7, 'app_1', gen_random_uuid(), 'crypto', 25000, 'active')`,
      [`e_${id}`],
    );
    await intentDb.query(`update prop_accounts set status = 'funded', synthetic_hotkey = $2 where id = $1`, [
      id,
      `e_${id}`,
    ]);
    await dispute('needs_response');
    await intentDb.query('delete from queue_jobs');

    await dispute('won');

    expect(await state()).to.deep.equal({ status: 'provisioning', why: null, creations: 1, is_first: true });
    expect(await intentDb.query('select task from queue_jobs')).to.deep.equal([{ task: 'accounts/sync' }]);
  });

  it('stays eliminated, if the network has done that', async () => {
    const { id, dispute, state } = await account('select');
    await intentDb.query(`update prop_accounts set status = 'eliminated', failure_reason = 'drawdown' where id = $1`, [
      id,
    ]);

    await dispute('needs_response');
    expect(await state()).to.include({ status: 'eliminated', why: 'drawdown' });
    await dispute('won');

    expect(await state()).to.include({ status: 'eliminated', why: 'drawdown', creations: 1 });
  });

  it('stays stopped while another dispute is open', async () => {
    const { dispute, state } = await account(UNDER_WAY);
    await dispute('needs_response', 1);
    await dispute('needs_response', 2);

    await dispute('won', 1);
    expect(await state()).to.include({ status: 'eliminated', why: 'disputed' });
    await dispute('won', 2);

    expect(await state()).to.include({ status: 'provisioning' });
  });

  it('is made once of its payment, stopped from the start while that is, and then requests its subaccount', async () => {
    const { id, paymentId, dispute, state } = await account('select');
    await intentDb.query('delete from prop_accounts where id = $1', [id]);
    await intentDb.query(`delete from intents where request ->> 'prop_account_id' = $1`, [id]);
    const open = async () =>
      (
        await intentDb.query<{ ok: boolean }>('select open_paid_account($1, $2, gen_random_uuid(), 60) as ok', [
          paymentId,
          id,
        ])
      )[0]?.ok;
    await dispute('needs_response');

    expect([await open(), await open()]).to.deep.equal([true, false]);
    expect(await state()).to.include({ status: 'eliminated', why: 'disputed', creations: 0 });
    await dispute('won');

    expect(await state()).to.include({ status: 'provisioning', why: null, creations: 1 });
    expect(await open()).to.equal(false);
    expect(await state()).to.include({ creations: 1 });
  });
});
