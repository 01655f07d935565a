import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

describe('views of ops about registrations', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  const view = <Row extends object>(name: string) => intentDb.query<Row>(`select * from ops.${name}`);

  it('undecided_intents: leaves out what an operator has attached, and says where to attach a registration', async () => {
    const problem = { code: 'SUBACCOUNT_AMBIGUOUS', effect: 'unknown' };
    const ids = [
      await intentAt(intentDb, 'sent', { kind: 'accounts/provision' }),
      await intentAt(intentDb, 'sent', { kind: 'accounts/provision' }),
    ];
    for (const id of ids) await intentDb.query('select settle_intent($1, 1, $2, $3)', [id, 'failed', { problem }]);
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('e_77', 'e', 77, 'ptn_a', $1, 'crypto', 1000, 'active')`,
      [ids[0]],
    );

    const found = await view<{ intent_id: string; safe_action: string }>('undecided_intents');
    const counted = await view<{ what: string; count: number }>('attention');

    expect(found.map(({ intent_id }) => intent_id)).to.deep.equal([ids[1]]);
    expect(found[0]?.safe_action).to.include('ops.attach_registration');
    expect(counted.find(({ what }) => what === 'undecided_intents')?.count).to.equal(1);
  });

  it('unrecorded_registrations: those whose payment was taken on chain, until they are released', async () => {
    const ids = ['1', '2', '3', '4'].map((digit) => `01890a5d-ac96-774b-bcce-b302099a901${digit}`);
    await intentDb.query(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status, tx_hash, paid_at)
      select r.id::uuid, 'ptn_a', '0xa' || r.n, 'slug', 1000, '0xdd', r.status, r.hash, case when r.hash is not null then now() end
      from unnest($1::text[], '{failed,failed,processing,failed}'::text[], '{0xAA,null,0xBB,0xCC}'::text[]) with ordinality r (id, status, hash, n)`,
      [ids],
    );
    const waiting = async () =>
      (await view<{ what: string; count: number }>('attention')).find(({ what }) => what === 'unrecorded_registrations')
        ?.count;
    const before = await view<{ registration_id: string }>('unrecorded_registrations');
    const counted = await waiting();

    await intentDb.query(`select ops.release_registration('0xaa', 'ada', 'it was paid back')`);
    const after = await view<{ registration_id: string }>('unrecorded_registrations');

    expect(before.map(({ registration_id }) => registration_id)).to.have.members([ids[0], ids[3]]);
    expect(counted).to.equal(2);
    expect(after.map(({ registration_id }) => registration_id)).to.deep.equal([ids[3]]);
    expect(await waiting()).to.equal(1);
  });

  for (const [status, hash] of [
    ['pending', '0xe'],
    ['processing', '0xf'],
  ] as const)
    it(`unrecorded_registrations: those, too, that are ${status} a day after their payment; released, they end`, async () => {
      const [old, recent] = ['5', '6'].map((digit) => `01890a5d-ac96-774b-bcce-b302099a${hash.slice(2)}01${digit}`);
      await intentDb.query(
        `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status, tx_hash, paid_at)
      select r.id::uuid, 'ptn_a', $2 || r.n, 'slug', 1000, '0xdd', $3, upper($2) || r.n, now() - r.ago
      from unnest($1::text[], '{25 hours,23 hours}'::interval[]) with ordinality r (id, ago, n)`,
        [[old, recent], hash, status],
      );
      const listed = async () =>
        (await view<{ registration_id: string }>('unrecorded_registrations')).filter(({ registration_id: id }) =>
          [old, recent].includes(id),
        );
      const release = async (payment: string) =>
        (
          await intentDb.query<{ verdict: string }>(
            `select ops.release_registration($1, 'ada', 'it was paid back') as verdict`,
            [payment],
          )
        )[0]?.verdict;
      const before = await listed();

      const verdicts = [await release(`${hash}1`), await release(`${hash}2`)];

      expect(before.map(({ registration_id }) => registration_id)).to.deep.equal([old]);
      expect(verdicts).to.deep.equal(['done', 'unknown']);
      expect(await listed()).to.deep.equal([]);
      const rows = await intentDb.query<{ status: string }>(
        'select status from registrations where id = any ($1::uuid[]) order by id',
        [[old, recent]],
      );
      expect(rows.map(({ status }) => status)).to.deep.equal(['failed', status]);
    });

  it('release_registration: releases none of several payers of one transaction, recorded here or lost, unless one is named', async () => {
    const ids = ['18', '19'].map((end) => `01890a5d-ac96-774b-bcce-b302099a90${end}`);
    await intentDb.query(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status, tx_hash, paid_at)
      select r.id::uuid, 'ptn_a', '0xd' || r.n, 'slug', 1000, '0x' || r.n, 'failed', '0xabc', now()
      from unnest($1::text[]) with ordinality r (id, n)`,
      [ids],
    );
    await intentDb.query(
      `insert into lost_registrations (tx_hash, payer, payee, units) values ('0xabc', '0x3', '0xff', 1)`,
    );
    const release = (payer: string | null) =>
      intentDb.query(`select ops.release_registration('0xabc', 'ada', 'it was paid back', $1) as verdict`, [payer]);
    const waiting = async () =>
      (await view<{ tx_hash: string; payer: string }>('unrecorded_registrations'))
        .filter(({ tx_hash }) => tx_hash === '0xabc')
        .map(({ payer }) => payer);

    expect([await release(null), await waiting()]).to.deep.equal([[{ verdict: 'ambiguous' }], ['0x1', '0x2']]);
    expect([await release('0x2'), await waiting()]).to.deep.equal([[{ verdict: 'done' }], ['0x1']]);
    expect([await release(null), await waiting()]).to.deep.equal([[{ verdict: 'ambiguous' }], ['0x1']]);
    expect([await release('0x3'), await waiting()]).to.deep.equal([[{ verdict: 'done' }], ['0x1']]);
    expect([await release(null), await waiting()]).to.deep.equal([[{ verdict: 'done' }], []]);
  });

  it('release_registration: leaves a registration as it is that a worker finds registered at that moment', async () => {
    const id = '01890a5d-ac96-774b-bcce-b302099a9017';
    await intentDb.query(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status, tx_hash, paid_at)
      values ($1, 'ptn_a', '0xc1', 'slug', 1000, '0xdd', 'pending', '0xf1', now() - interval '25 hours')`,
      [id],
    );
    const [worker, onlooker] = [await intentDb.session(), await intentDb.session()];
    await worker.query('begin');
    await worker.query(`select finish_poll($1, 0, '{"status": "registered"}', null)`, [id]);

    const releasing = intentDb.query(`select ops.release_registration('0xf1', 'ada', 'it was paid back') as verdict`);
    while ((await onlooker.query(WAITING)).length === 0);
    await worker.query('commit');

    expect(await releasing).to.deep.equal([{ verdict: 'unknown' }]);
    const [row] = await intentDb.query('select status, released_at from registrations where id = $1', [id]);
    expect(row).to.deep.equal({ status: 'registered', released_at: null });
  });
});
