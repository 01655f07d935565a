import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

type Row = { id: string; used: boolean; open: boolean; decision: string | null };

/** Approvals as the database keeps them, where two requests meet, or where another row is alike in all but one thing. */
describe('an approval in the database', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(async () => {
    for (const table of ['approvals', 'admin_sessions', 'admins']) await intentDb.query(`delete from ${table}`);
    await intentDb.query(
      `insert into admins (id, email, role, password_hash) values ('one', 'one@x', 'admin', 'h'), ('two', 'two@x', 'admin', 'h')`,
    );
  });

  const ask = async (id: string, digest = 'request', by = 'one', session: DbSession = intentDb) =>
    (
      await session.query<{ id: string }>(
        `select a.id from ask_for_approval($1, 'refundPayment', 'pay', $2::text::bytea, '{}', null, 'admin', $3, 3600) a`,
        [id, digest, by],
      )
    )[0]?.id;
  const decide = async (id: string, isApproved = true, session: DbSession = intentDb) =>
    (
      await session.query<{ verdict: string }>(
        `select decide_approval($1, 'two', array['admin'], $2, 'why') as verdict`,
        [id, isApproved],
      )
    )[0]?.verdict;
  const use = async (session: DbSession = intentDb) =>
    (await session.query<{ id: string }>(`select u.id from use_approval('request') u`))[0]?.id ?? null;
  const end = (id: string) => intentDb.query(`update approvals set expires_at = now() where id = $1`, [id]);
  const rows = () =>
    intentDb.query<Row>(
      `select id, used_at is not null as used, expires_at > now() as open, decision from approvals order by id`,
    );

  /** What two connections get, the second of which starts before the first commits. */
  async function overlapping<T>(run: (session: DbSession, n: 1 | 2) => Promise<T>): Promise<[T, T]> {
    const [first, second] = [await intentDb.session(), await intentDb.session()];
    await first.query('begin');
    const early = await run(first, 1);
    const late = run(second, 2);
    await sleep(150);
    await first.query('commit');
    return [early, await late];
  }

  it('is asked for once while it is open, and anew once it was used, was rejected or has expired', async () => {
    const asked = [await ask('a'), await ask('b')];
    await decide('a');
    asked.push(await ask('c'));
    await use();
    asked.push(await ask('d'));
    await decide('d', false);
    asked.push(await ask('e'));
    await end('e');
    asked.push(await ask('f'));

    expect(asked).to.deep.equal(['a', 'a', 'a', 'd', 'e', 'f']);
  });

  it('is one, however many ask for it at once', async () => {
    expect(await overlapping((session, n) => ask(`asked ${n}`, 'request', 'one', session))).to.deep.equal([
      ...['asked 1', 'asked 1'],
    ]);
  });

  it('is decided once, however many decide at once', async () => {
    await ask('a');

    const verdicts = await overlapping((session, n) => decide('a', n === 1, session));

    expect(verdicts).to.deep.equal(['done', 'decided']);
    expect((await rows())[0]?.decision).to.equal('approved');
  });

  it('is used once: not one that was used, has expired or was not approved, but the one that was', async () => {
    const nothing = [await use()];
    await ask('a');
    nothing.push(await use());
    await decide('a');
    await ask('of another request', 'another');
    await decide('of another request');
    const first = await use();
    nothing.push(await use());
    await ask('b');
    await decide('b');
    await end('b');
    nothing.push(await use());
    await ask('c');
    await decide('c');

    expect([first, await use()]).to.deep.equal(['a', 'c']);
    expect(nothing).to.deep.equal([null, null, null, null]);
    expect((await rows()).filter(({ used }) => used).map(({ id }) => id)).to.deep.equal(['a', 'c']);
  });

  it('is used by one of two that use it at once', async () => {
    await ask('a');
    await decide('a');

    expect(await overlapping((session) => use(session))).to.deep.equal(['a', null]);
  });

  for (const [what, call] of [
    ['is disabled', `disable_operator('one', 'two')`],
    ['gets another role', `set_operator_role('one', 'two', 'viewer')`],
    ['is logged out', `end_operator_sessions('one')`],
    ['loses the authenticator', `remove_operator_authenticator('one', 'two')`],
  ] as const)
    it(`is withdrawn when who asked for it, or gave it, ${what}; those of others stay, and what was used`, async () => {
      await ask('used');
      await decide('used');
      await use();
      await ask('open');
      await intentDb.query(`insert into admins (id, email, role) values ('three', 'three@x', 'finance')`);
      await ask('of three', 'another', 'three');
      await ask('past', 'past');
      await intentDb.query(`update approvals set expires_at = '2020-01-01' where id = 'past'`);
      await ask('given', 'given', 'three');
      await intentDb.query(`select decide_approval('given', 'one', array['admin'], true, 'why')`);

      await intentDb.query(`select ${call}`);

      expect((await rows()).map(({ id, open }) => `${id} ${open}`)).to.deep.equal([
        ...['given false', 'of three true', 'open false', 'past false', 'used true'],
      ]);
      expect(await intentDb.query(`select from approvals where expires_at = '2020-01-01'`)).to.have.length(1);
    });
});

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

  it('who is disabled loses the password and is not invited anew', async () => {
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
