import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { failedAccount, intentAt, sellTier } from '../support/operator.ts';

describe('a subaccount that an operator attaches in psql', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await sellTier(intentDb);
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ('my_entity_4', 'my_entity', 4, 'app_1', gen_random_uuid(), 'crypto', 25000, 'active'),
         ('their_entity_9', 'their_entity', 9, 'app_2', gen_random_uuid(), 'crypto', 25000, 'active')`,
    );
    await intentDb.query(
      `insert into apps (id, slug, name, allowed_scopes, entity_hotkey, network_key)
       values ('app_2', 'other', 'Other', '{api}', 'their_entity', '\\x00')`,
    );
  });
  after(() => intentDb.close());

  const attach = async (call: 'account' | 'registration', id: string, hotkey: string) =>
    (
      await intentDb.query<{ verdict: string }>(`select ops.attach_${call}($1, $2, 'ada', 'seen there') verdict`, [
        id,
        hotkey,
      ])
    )[0]?.verdict;
  const undecidedRegistration = async () => {
    const id = await intentAt(intentDb, 'sent', { kind: 'accounts/provision' });
    await intentDb.query(`update intents set request = $2 where id = $1`, [
      id,
      { subaccount: { assetClass: 'crypto', accountSize: 25_000 } },
    ]);
    await intentDb.query('select settle_intent($1, 1, $2, $3)', [
      id,
      'failed',
      { problem: { code: 'SUBACCOUNT_AMBIGUOUS', effect: 'unknown' } },
    ]);
    return id;
  };

  for (const call of ['account', 'registration'] as const)
    it(`to ${call === 'account' ? 'an account' : 'a registration'} is one that the network has given: a number that is mistyped would be the next owner’s`, async () => {
      const id =
        call === 'account'
          ? (await failedAccount(intentDb, { code: 'SUBACCOUNT_AMBIGUOUS' })).id
          : await undecidedRegistration();

      for (const [hotkey, verdict] of [
        ['my_entity_5', 'not_given'],
        ['my_entity_33', 'not_given'],
        ['my_entiti_3', 'not_given'],
        ['my_entity_03', 'malformed'],
        ['their_entity_7', 'other_entity'],
        ['my_entity_4', 'taken'],
        [call === 'account' ? 'my_entity_3' : 'my_entity_2', 'done'],
      ] as const)
        expect(await attach(call, id, hotkey), hotkey).to.equal(verdict);

      const actions = await intentDb.query<{ verdict: string }>(
        `select a.detail ->> 'verdict' as verdict from ops.actions a where a.subject = $1 order by a.at`,
        [id],
      );
      expect(actions.map(({ verdict }) => verdict)).to.deep.equal([
        ...['not_given', 'not_given', 'not_given', 'malformed', 'other_entity', 'taken', 'done'],
      ]);
    });

  it('is not at the platform’s entity if its app has one of its own, whose key its orders are sent with', async () => {
    const { id, intentId } = await failedAccount(intentDb, { code: 'SUBACCOUNT_AMBIGUOUS' });
    await intentDb.query(`update prop_accounts set owner = 'app_2' where id = $1`, [id]);

    expect(await attach('account', id, 'my_entity_1')).to.equal('other_entity');
    expect(await attach('account', id, 'their_entity_8')).to.equal('done');
    expect(
      await intentDb.query('select owner, synthetic_hotkey from subaccounts where intent_id = $1', [intentId]),
    ).to.deep.equal([{ owner: 'app_2', synthetic_hotkey: 'their_entity_8' }]);
  });
});
