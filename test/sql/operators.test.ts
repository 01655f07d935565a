import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

describe('an operator in the database', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('accepts an invitation that lives, once, unless disabled meanwhile', async () => {
    for (const [id, ends, off] of [
      ['live', `interval '1 hour'`, 'null'],
      ['late', `interval '-1 second'`, 'null'],
      ['off', `interval '1 hour'`, 'now()'],
    ])
      await intentDb.query(
        `insert into admins (id, email, invitation_digest, invitation_expires_at, disabled_at)
         values ($1, $1, convert_to($1, 'UTF8'), now() + ${ends}, ${off})`,
        [id],
      );
    const accept = async (token: string) =>
      (await intentDb.query<{ id: string }>(`select accept_invitation($1::text::bytea, 'hash') as id`, [token]))[0]?.id;

    const accepted = [await accept('late'), await accept('off'), await accept('nobody'), await accept('live')];

    expect([...accepted, await accept('live')]).to.deep.equal([null, null, null, 'live', null]);
  });

  it('loses the sessions that are left, and says how many were open', async () => {
    await intentDb.query(`insert into admins (id, email) values ('busy', 'busy')`);
    await intentDb.query(
      `insert into admin_sessions (id, digest, admin_id, expires_at, revoked_at) values
         ('open', 'open', 'busy', now() + interval '1 hour', null), ('expired', 'expired', 'busy', now(), null),
         ('ended', 'ended', 'busy', now() + interval '1 hour', '2020-01-01')`,
    );

    const [ended] = await intentDb.query<{ n: number }>(`select end_operator_sessions('busy') as n`);

    expect(ended?.n).to.equal(1);
    expect(await intentDb.query(`select from admin_sessions where revoked_at = '2020-01-01'`)).to.have.length(1);
  });

  it('who is disabled loses the password and is not invited again', async () => {
    await intentDb.query(
      `insert into admins (id, email, password_hash, disabled_at) values ('gone', 'gone@x', 'h', now()), ('here', 'here@x', 'h', null)`,
    );
    const invite = async (address: string) =>
      (
        await intentDb.query<{ id: string | null }>(
          `select invite_operator('new', $1, null, convert_to($1, 'UTF8'), 60, gen_random_uuid(), 'sealed') as id`,
          [address],
        )
      )[0]?.id;

    expect([await invite('gone@x'), await invite('here@x')]).to.deep.equal(['gone', 'here']);
    const gone = `select from admins where id = 'gone' and num_nulls(password_hash, invitation_digest) = 2`;
    expect(await intentDb.query(gone)).to.have.length(1);
  });

  describe('among admins', () => {
    const say = async (call: string, session: DbSession = intentDb) =>
      (await session.query<{ verdict: string }>(`select ${call} as verdict`))[0]?.verdict;
    beforeEach(async () => {
      await intentDb.query(`update admins set role = 'viewer'`);
      await intentDb.query(
        `insert into admins (id, email, role, password_hash) values ('one', 'one@x', 'admin', 'h'), ('two', 'two@x', 'admin', 'h')
         on conflict (id) do update set role = 'admin', disabled_at = null`,
      );
    });

    it('does not disable the one who disables it at the same time: one is left', async () => {
      const [first, second] = [await intentDb.session(), await intentDb.session()];
      await first.query('begin');
      const early = await say(`disable_operator('two', 'one')`, first);
      const late = say(`disable_operator('one', 'two')`, second);
      await sleep(150);
      await first.query('commit');

      expect([early, await late]).to.deep.equal(['done', 'last_admin']);
    });

    it('loses the role if disabled, since that takes no admin away', async () => {
      await intentDb.query(`update admins set disabled_at = now() where role = 'admin'`);

      expect(await say(`set_operator_role('two', null, 'viewer')`)).to.equal('done');
    });
  });

  it('keeps a wallet that another one moves at the same time, to whom it was moved first', async () => {
    const WALLET = `0x${'a'.repeat(40)}`;
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a'), ('ptn_b', 'b'), ('ptn_c', 'c')`);
    await intentDb.query(`insert into wallet_proofs (owner, ex_wallet) values ('ptn_b', $1), ('ptn_c', $1)`, [WALLET]);
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, intent_id, owner, subaccount_id, ex_address, asset_class, account_size, status)
       values ('hot_1', 'hot', gen_random_uuid(), 'ptn_a', 1, $1, 'crypto', 10000, 'active')`,
      [WALLET],
    );
    const [first, second] = [await intentDb.session(), await intentDb.session()];
    const move = async (session: DbSession, to: string) =>
      (
        await session.query<{ verdict: string }>(`select verdict from move_wallet_link($1, $2, 'op', 'asked')`, [
          WALLET,
          to,
        ])
      )[0]?.verdict;
    await first.query('begin');
    const early = await move(first, 'ptn_b');

    const late = move(second, 'ptn_c');
    await sleep(150);
    await first.query('commit');

    expect([early, await late]).to.deep.equal(['done', 'proven']);
  });
});
