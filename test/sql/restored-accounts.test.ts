import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, type Row } from '../support/intent-database.ts';
import { failedAccount, lose, sellTier } from '../support/operator.ts';

/** What was done for an account after the backup is not in the database: its subaccount may exist. */
describe('an account that is older than the recovery of its database', () => {
  let intentDb: IntentDatabase;
  let since: Date;
  before(async () => {
    intentDb = await openIntentDatabase();
    await sellTier(intentDb);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('delete from recoveries'));

  /** Since `hoursAgo`, of a backup that is an hour older. */
  const recovered = async (hoursAgo: number) => {
    const [row] = await intentDb.query<{ since: Date }>(
      `insert into recoveries (since, recovered_at)
       values (now() - make_interval(hours => $1::integer + 1), now() - make_interval(hours => $1::integer)) returning since`,
      [hoursAgo],
    );
    since = row?.since as Date; // as: it was inserted
  };
  /** An account whose creation failed days ago. */
  const failed = async (more?: Parameters<typeof failedAccount>[1]) => {
    const made = await failedAccount(intentDb, more);
    for (const [table, id] of [
      ['prop_accounts', made.id],
      ['payments', made.paymentId],
      ['intents', made.intentId],
    ])
      await intentDb.query(`update ${table} set created_at = created_at - interval '10 days' where id::text = $1`, [
        id,
      ]);
    await intentDb.query(
      `update intents
       set sending_at = created_at, settled_at = created_at, request = jsonb_build_object('prop_account_id', $2::text)
       where id = $1`,
      [made.intentId, made.id],
    );
    return made;
  };
  const provisioned = (id: string) =>
    intentDb.query(`select ops.provision_account($1, 'ada', 'try again') as verdict`, [id]);
  /** The creation of an account that is under way: since when it may have been made, by what was sent then. */
  const creation = async (account: string) => {
    const [row] = await intentDb.query<{ id: string; presumed: Date | null; waits_h: number }>(
      `select i.id, i.presumed_sent_at as presumed, extract(epoch from i.deadline_at - now())::double precision / 3600 as waits_h
       from prop_accounts a
       join intents i on i.id = a.intent_id
       where a.id = $1 and a.status = 'provisioning'`,
      [account],
    );
    return row as NonNullable<typeof row>; // as: it has one
  };
  const end = async (id: string, code: string, isLookedFor: boolean) => {
    const held = (await intentDb.claim(id)) as Row;
    if (isLookedFor) await intentDb.query(`select presume_sent($1, $2, '{}')`, [id, held.fence]);
    const [now] = await intentDb.query<{ fence: number }>('select fence from intents where id = $1', [id]);
    await intentDb.query(`select settle_intent($1, $2, 'failed', $3)`, [id, now?.fence, { problem: { code } }]);
  };

  for (const [what, hoursAgo, more] of [
    ['an hour', 1, {}],
    ['three days', 72, {}],
    ['an hour, without a payment', 1, { paid: false }],
  ] as const)
    it(`is looked for, and not created, when it is provisioned again after ${what}`, async () => {
      const { id } = await failed(more);
      await recovered(hoursAgo);

      await provisioned(id);

      const { presumed, waits_h } = await creation(id);
      expect(presumed).to.deep.equal(since);
      expect(waits_h).to.be.above(23);
    });

  for (const [what, hoursAgo, isLookedFor] of [
    ['looked for within a day of the recovery', 23, true],
    ['created after that', 25, false],
  ] as const)
    it(`made anew, because its payment is older and it was lost itself, is ${what}`, async () => {
      const { id, paymentId } = await failedAccount(intentDb);
      await intentDb.query(`update payments set created_at = created_at - interval '10 days' where id = $1`, [
        paymentId,
      ]);
      await recovered(hoursAgo);

      await intentDb.query(
        `with anew as (
           update prop_accounts set status = 'provisioning', intent_id = gen_random_uuid() where id = $1 returning id, intent_id
         )
         select ask_for_subaccount(id, intent_id, 60)::text from anew`,
        [id],
      );

      expect((await creation(id)).presumed).to.deep.equal(isLookedFor ? since : null);
    });

  it('is created once it was looked for and not found', async () => {
    const { id } = await failed();
    await recovered(1);
    await provisioned(id);

    await end((await creation(id)).id, 'NOT_CARRIED_OUT', true);
    await provisioned(id);

    expect((await creation(id)).presumed).to.equal(null);
  });

  it('is looked for when its money comes back, although a creation in between ended before it looked', async () => {
    const { id, paymentId, intentId } = await failed({ code: 'V2_ACCOUNT_STOPPED' });
    await intentDb.query(`update intents set sending_at = null where id = $1`, [intentId]);
    await intentDb.query(`update prop_accounts set status = 'provisioning', failure_reason = null where id = $1`, [id]);
    await recovered(1);
    const dispute = (status: string) =>
      lose(intentDb, paymentId, { kind: 'dispute', id: `dp_${id}`, cents: 19_900, status });

    await dispute('needs_response');
    await dispute('won');
    const first = await creation(id);
    await end(first.id, 'V2_ACCOUNT_STOPPED', false);
    const second = await creation(id);

    expect([first.presumed, second.presumed]).to.deep.equal([since, since]);
    expect(second.id).not.to.equal(first.id);
  });

  it('is created where it is newer than the recovery, and where there was none', async () => {
    const [older, newer] = [await failed(), await failedAccount(intentDb)];
    await provisioned(older.id);
    await recovered(1);
    await provisioned(newer.id);

    expect((await creation(older.id)).presumed).to.equal(null);
    expect((await creation(newer.id)).presumed).to.equal(null);
  });
});
