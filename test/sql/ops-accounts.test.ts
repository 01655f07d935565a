import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { failedAccount, lose, returnMoney, sellTier } from '../support/operator.ts';

describe('manual handling of failed accounts', () => {
  let intentDb: IntentDatabase;
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    operator = await intentDb.session();
    await operator.query('set role trading_operator');
    await sellTier(intentDb);
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ('my_entity_20', 'my_entity', 20, 'app_1', gen_random_uuid(), 'crypto', 25000, 'active')`,
    );
  });
  after(() => intentDb.close());

  const failed = async (more?: { paid?: boolean; code?: string }) => (await failedAccount(intentDb, more)).id;
  const refund = (account: string) => returnMoney(intentDb, account.replace('prop', 'pay'));
  const listed = async (account: string) =>
    (await intentDb.query<{ prop_account_id: string; safe_action: string }>('select * from ops.failed_accounts')).find(
      ({ prop_account_id }) => prop_account_id === account,
    );
  const verdict = async (call: string, ...values: unknown[]) =>
    (await operator.query<{ verdict: string }>(`select ops.${call} verdict`, values))[0]?.verdict;
  const abandon = (account: string) => verdict(`abandon_account($1, 'ada', 'settled by mail')`, account);
  const provision = (account: string) => verdict(`provision_account($1, 'ada', 'try again')`, account);
  const attach = (account: string, hotkey: string) =>
    verdict(`attach_account($1, $2, 'ada', 'seen there')`, account, hotkey);
  const recorded = async (account: string) =>
    (
      await intentDb.query<{ who: string; action: string; why: string; verdict: string }>(
        `select a.detail ->> 'given_name' as who, a.action, a.why, a.detail ->> 'verdict' as verdict from ops.actions a where a.subject = $1 order by a.at`,
        [account],
      )
    ).map(({ who, action, why, verdict }) => [who, action, why, verdict].join(', '));

  it('looks for the subaccount of a payment that is older than a recovery of the database, and requests none', async () => {
    const presumed = async () => {
      const { id, paymentId, intentId } = await failedAccount(intentDb);
      await intentDb.query('delete from prop_accounts where id = $1', [id]);
      await intentDb.query('delete from intents where id = $1', [intentId]);
      await intentDb.query('select open_paid_account($1, $2, $3, 60)', [paymentId, id, intentId]);
      const [row] = await intentDb.query<{ since: Date | null }>(
        'select presumed_sent_at as since from intents where id = $1',
        [intentId],
      );
      return row?.since;
    };
    expect(await presumed()).to.equal(null);
    const [made] = await intentDb.query<{ since: Date }>(
      `insert into recoveries (since, recovered_at) values (now() - interval '1 hour', now() + interval '1 minute') returning since`,
    );

    const since = await presumed();
    await intentDb.query('delete from recoveries');

    expect(since).to.deep.equal(made?.since);
  });

  it('has an operator look for a subaccount that may exist only until the account is abandoned', async () => {
    const { id, intentId } = await failedAccount(intentDb, { paid: false, code: 'SUBACCOUNT_AMBIGUOUS' });
    await intentDb.query(
      `update intents set outcome = jsonb_set(outcome, '{problem,effect}', '"unknown"'), request = $2 where id = $1`,
      [intentId, { prop_account_id: id }],
    );
    const undecided = async () =>
      (await operator.query('select from ops.undecided_intents u where u.intent_id = $1', [intentId])).length;

    expect(await undecided()).to.equal(1);
    expect(await abandon(id)).to.equal('done');
    expect(await undecided()).to.equal(0);
  });

  it('lists them with the safe actions', async () => {
    const [unmade, ambiguous, free, returned] = [
      await failed(),
      await failed({ code: 'SUBACCOUNT_AMBIGUOUS' }),
      await failed({ paid: false }),
      await failed(),
    ];
    await refund(returned);

    expect(await listed(unmade)).to.include({
      safe_action: 'provision again, or refund',
      app_id: 'app_1',
      failure_reason: 'said_no',
    });
    expect(await listed(ambiguous)).to.include({ safe_action: 'look at the network: attach what was made, or refund' });
    expect(await listed(free)).to.include({ safe_action: 'provision again, or abandon', payment_id: null });
    expect(await listed(returned)).to.include({ safe_action: 'abandon: its money was refunded or is disputed' });
  });

  it('includes them in the unfulfilled payments until the money is returned', async () => {
    const account = await failed();
    const unfulfilled = () =>
      intentDb.query('select from ops.paid_without_account where prop_account_id = $1', [account]);

    expect(await unfulfilled()).to.have.length(1);
    await refund(account);
    expect(await unfulfilled()).to.have.length(0);
  });

  it('provisions them again only when provably nothing was created, and records the reason', async () => {
    const [unmade, ambiguous] = [await failed(), await failed({ code: 'SUBACCOUNT_AMBIGUOUS' })];

    expect([await provision(unmade), await provision(unmade), await provision(ambiguous)]).to.deep.equal([
      'done',
      'not_failed',
      'unproven',
    ]);
    expect(await listed(unmade)).to.equal(undefined);
    expect(await recorded(unmade)).to.deep.equal([
      'ada, provision_again, try again, done',
      'ada, provision_again, try again, not_failed',
    ]);
    expect(await recorded(ambiguous)).to.deep.equal(['ada, provision_again, try again, unproven']);
  });

  it('neither provisions nor attaches them once their money is returned', async () => {
    const account = await failed();
    await refund(account);

    expect([await provision(account), await attach(account, 'my_entity_8')]).to.deep.equal(['returned', 'returned']);
  });

  it('attaches a subaccount of the network without an owner, once', async () => {
    const [account, other] = [
      await failed({ code: 'SUBACCOUNT_AMBIGUOUS' }),
      await failed({ code: 'SUBACCOUNT_AMBIGUOUS' }),
    ];

    expect(await attach(account, 'no number')).to.equal('malformed');
    expect(await attach(account, 'my_entity_7')).to.equal('done');
    expect(await attach(other, 'my_entity_7')).to.equal('taken');

    expect(
      await intentDb.query('select entity_hotkey, subaccount_id from subaccounts where subaccount_id < 20'),
    ).to.deep.equal([{ entity_hotkey: 'my_entity', subaccount_id: 7 }]);
    expect(await intentDb.query(`select status from prop_accounts where id = $1`, [account])).to.deep.equal([
      { status: 'provisioning' },
    ]);
    expect(await recorded(account)).to.deep.equal([
      'ada, attach, seen there, malformed',
      'ada, attach, seen there, done',
    ]);
  });

  it('abandons them once their money is returned, and never provisions them after that', async () => {
    const account = await failed();

    expect(await abandon(account)).to.equal('owes');
    await refund(account);
    expect(await abandon(account)).to.equal('done');

    expect([await abandon(account), await provision(account), await attach(account, 'my_entity_9')]).to.deep.equal([
      'abandoned',
      'abandoned',
      'abandoned',
    ]);
    expect(await listed(account)).to.equal(undefined);
    expect(
      await intentDb.query(
        'select abandoned_by = session_user as by_login, abandoned_why from prop_accounts where id = $1',
        [account],
      ),
    ).to.deep.equal([{ by_login: true, abandoned_why: 'settled by mail' }]);
    expect((await recorded(account)).slice(0, 2)).to.deep.equal([
      'ada, abandon, settled by mail, owes',
      'ada, abandon, settled by mail, done',
    ]);
  });

  it('abandons them when they are disputed or were free, and in no other case', async () => {
    const [disputed, free, made] = [await failed(), await failed({ paid: false }), await failed()];
    await lose(intentDb, disputed.replace('prop', 'pay'), {
      kind: 'dispute',
      id: 'du_1',
      cents: 19_900,
      status: 'needs_response',
    });
    await provision(made);

    expect([
      await abandon(disputed),
      await abandon(free),
      await abandon(made),
      await abandon('prop_nobody'),
    ]).to.deep.equal(['done', 'done', 'not_failed', 'unknown']);
  });

  it('does not abandon one whose refund is under way, although a dispute has taken all of its money', async () => {
    const account = await failed();
    await intentDb.query(`select refund_payment($1, 'admin:adn_1', 'returned', gen_random_uuid(), 60, 'req_1')`, [
      account.replace('prop', 'pay'),
    ]);
    await lose(intentDb, account.replace('prop', 'pay'), {
      kind: 'dispute',
      id: 'du_2',
      cents: 19_900,
      status: 'needs_response',
    });

    expect(await abandon(account)).to.equal('owes');
  });

  it('neither provisions nor attaches a second subaccount for one that has failed at the network', async () => {
    const account = await failed();
    await attach(account, 'my_entity_17');
    await intentDb.query(
      `select record_sync($1, 'provisioning', 'subaccount_failed', 'failed_at_network', 'failed', null)`,
      [account],
    );

    expect([await provision(account), await attach(account, 'my_entity_18')]).to.deep.equal(['unproven', 'not_failed']);
  });

  it('is recorded in the story of their creation', async () => {
    const account = await failed();
    await abandon(account);
    await intentDb.query(`select emit_event('app_1', 'prop_account.failed', jsonb_build_object('id', $1::text))`, [
      account,
    ]);
    await intentDb.query(`select emit_event('app_1', 'prop_account.failed', '{"id": "prop_other"}')`);
    const [row] = await intentDb.query<{ intent_id: string }>('select intent_id from prop_accounts where id = $1', [
      account,
    ]);

    const story = await intentDb.query<{ what: string; detail: string }>('select * from ops.history($1)', [
      row?.intent_id,
    ]);
    const data = story.map(({ what, detail }) => `${what}: ${detail}`);

    expect(data).to.include(`prop account: ${account} is subaccount_failed: said_no`);
    expect(data).to.include(`payment: ${account.replace('prop', 'pay')} paid`);
    const [me] = await intentDb.query<{ login: string }>('select session_user as login');
    expect(data).to.include(`operator: ${me?.login} abandon: owes, settled by mail`);
    const events = await intentDb.query<{ id: string; type: string }>(
      `select id, type from events where strpos(data, $1) > 0 order by position`,
      [`"${account}"`],
    );
    expect(events.map(({ type }) => type)).to.have.members(['account.updated', 'prop_account.failed']);
    expect(data.filter((line) => line.startsWith('event: '))).to.have.members(
      events.map(({ id, type }) => `event: ${type} ${id}`),
    );
  });
});
