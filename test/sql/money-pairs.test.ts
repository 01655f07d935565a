import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { failedAccount, lose, sellTier } from '../support/operator.ts';

const WHO = `'admin:adn_1', 'two at once'`;
type Action = { name: string; statement: string; hotkey?: boolean };
const refund = {
  name: 'refund',
  statement: `select 'done' as verdict from refund_payment($2, ${WHO}, gen_random_uuid(), 60, 'req_1') having count(*) > 0`,
};
const actions: Action[] = [
  refund,
  {
    name: 'provision',
    statement: `select provision_again($1, 'admin:adn_1', gen_random_uuid(), 60, 'two at once') as verdict`,
  },
  {
    name: 'attach',
    statement: `select attach_subaccount($1, 'admin:adn_1', jsonb_build_object('synthetic_hotkey', 'e_' || $1, 'entity_hotkey', 'e',
      'subaccount_id', substr($1, 6)::integer, 'asset_class', 'crypto', 'account_size', 25000, 'status', 'pending'), 'two at once') as verdict`,
  },
  { name: 'abandon', statement: `select abandon_account($1, ${WHO}) as verdict` },
  { name: 'reinstate', statement: `select reinstate_account($1, ${WHO}) as verdict` },
];

describe('two actions of operators on one payment at once', () => {
  let intentDb: IntentDatabase;
  let hands: [DbSession, DbSession];
  before(async () => {
    intentDb = await openIntentDatabase();
    hands = [await intentDb.session(), await intentDb.session()];
    await sellTier(intentDb);
  });
  after(() => intentDb.close());

  /** What an action returns: its verdict, or nothing if there is nothing to refund. */
  const act = async (session: DbSession, { statement }: Action, account: { id: string; paymentId: string }) => {
    const [row] = await session.query<{ verdict: string }>(
      statement.includes('$2') ? statement.replaceAll('$2', '$1') : statement,
      [statement.includes('$2') ? account.paymentId : account.id],
    );
    return row?.verdict ?? 'nothing left';
  };
  /** The second action begins when the first has acted, and before it commits. */
  async function overlapping([one, other]: [Action, Action], account: { id: string; paymentId: string }) {
    await hands[0].query('begin');
    const first = await act(hands[0], one, account);
    let isOver = false;
    const second = act(hands[1], other, account).finally(() => {
      isOver = true;
    });
    while (!isOver && (await intentDb.query(WAITING)).length === 0);
    await hands[0].query('commit');
    return [first, await second];
  }
  const state = async ({ id, paymentId }: { id: string; paymentId: string }) => {
    const [row] = await intentDb.query<{ state: object }>(
      `select jsonb_build_object('status', a.status, 'attached', a.synthetic_hotkey is not null, 'abandoned', a.abandoned_at is not null,
         'stopped', p.stopped_for, 'refund', refund_state(p.id), 'creations', (
           select count(*) from intents i where i.kind = 'accounts/provision' and i.request ->> 'prop_account_id' = a.id
         ), 'refunds', (
           select count(*) from intents i where i.kind = 'payments/refund' and i.request ->> 'payment_id' = p.id
         )) as state
       from prop_accounts a
       join payments p on p.id = a.payment_id
       where a.id = $1 and p.id = $2`,
      [id, paymentId],
    );
    return row?.state;
  };
  /** Accounts of the same kind: one that could not be created, or one that a refund of a dollar has stopped. */
  async function prepared(isStopped: boolean) {
    const account = await failedAccount(intentDb);
    if (!isStopped) return account;
    await intentDb.query(`update prop_accounts set status = 'provisioning' where id = $1`, [account.id]);
    await lose(intentDb, account.paymentId, {
      kind: 'refund',
      id: `re_${account.id}`,
      cents: 100,
      status: 'succeeded',
    });
    return account;
  }

  for (const isStopped of [false, true])
    for (const [n, one] of actions.entries())
      for (const other of actions.slice(n))
        it(`${one.name} and ${other.name} of ${isStopped ? 'a stopped' : 'a failed'} account end as one after the other`, async () => {
          const orders = [];
          for (const pair of [
            [one, other],
            [other, one],
          ] as const) {
            const account = await prepared(isStopped);
            const verdicts = [await act(intentDb, pair[0], account), await act(intentDb, pair[1], account)];
            orders.push(JSON.stringify([pair[0] === one ? verdicts : verdicts.toReversed(), await state(account)]));
          }

          for (const isSwapped of one === other ? [false] : [false, true]) {
            const account = await prepared(isStopped);
            const verdicts = await overlapping(isSwapped ? [other, one] : [one, other], account);

            const outcome = [isSwapped ? verdicts.toReversed() : verdicts, await state(account)];
            expect(orders).to.include(JSON.stringify(outcome));
          }
        });

  it('leaves nothing to provision once a refund is under way', async () => {
    const account = await failedAccount(intentDb);

    const verdicts = [];
    for (const action of actions) verdicts.push(await act(intentDb, action, account));

    expect(verdicts).to.deep.equal(['done', 'returned', 'returned', 'owes', 'not_stopped']);
  });
});
