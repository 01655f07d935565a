import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

type Row = { id: string; used: boolean; open: boolean; decision: string | null };

/** What ends the trust in an operator, at the hand of another. */
const ENDINGS = [
  ['is disabled', (operator: string) => `disable_operator('${operator}', 'else')`],
  ['gets another role', (operator: string) => `set_operator_role('${operator}', 'else', 'viewer')`],
  ['is logged out', (operator: string) => `end_operator_sessions('${operator}')`],
  ['loses the authenticator', (operator: string) => `remove_operator_authenticator('${operator}', 'else')`],
] as const;

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

  it('is asked for once while it is open, and again once it was used, was rejected or has expired', async () => {
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

  it('is not decided once it has expired: nobody would hear that it permits nothing', async () => {
    await ask('a');
    await end('a');

    expect(await decide('a')).to.equal('decided');
    expect((await rows())[0]?.decision).to.equal(null);
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

  for (const [what, call] of ENDINGS)
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

      await intentDb.query(`select ${call('one')}`);

      expect((await rows()).map(({ id, open }) => `${id} ${open}`)).to.deep.equal([
        ...['given false', 'of three true', 'open false', 'past false', 'used true'],
      ]);
      expect(await intentDb.query(`select from approvals where expires_at = '2020-01-01'`)).to.have.length(1);
    });

  for (const [what, call] of ENDINGS)
    it(`is used by one who ${what} at that moment, without a deadlock where the audit notes its use`, async () => {
      await ask('a');
      await decide('a');
      const [using, ending] = [await intentDb.session(), await intentDb.session()];
      await using.query('begin');
      await use(using);
      const ended = ending.query(`select ${call('one')}`);
      await until('it waits for the use', async () => (await intentDb.query(WAITING)).length > 0);

      await using.query(`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
      await using.query(`insert into admin_audit (admin_id, action) values ('one', 'approval.use')`);
      await using.query('rollback'); // the audit keeps its rows, and they their operator

      expect(await ended).to.have.length(1);
    });

  for (const [what, call] of ENDINGS)
    it(`is not given by one who ${what} at that moment`, async () => {
      await ask('a');
      const [giving, ending] = [await intentDb.session(), await intentDb.session()];
      await giving.query('begin');
      await decide('a', true, giving);
      const ended = ending.query(`select ${call('two')}`);
      await sleep(150);
      await giving.query('commit');
      await ended;

      expect(await use()).to.equal(null);
    });

  it('is not given in a session that has ended', async () => {
    await ask('a');
    await intentDb.query(
      `insert into admin_sessions (id, digest, admin_id, expires_at) values ('s', 's', 'two', now() + interval '1 hour')`,
    );
    const [ending, giving] = [await intentDb.session(), await intentDb.session()];
    await ending.query('begin');
    await ending.query(`select end_operator_sessions('two')`);
    const late = giving.query<{ verdict: string }>(
      `select decide_approval('a', 'two', array['admin'], true, 'why', 's') as verdict`,
    );
    await sleep(150);
    await ending.query('commit');

    expect(await late).to.deep.equal([{ verdict: 'ended' }]);
    expect(await use()).to.equal(null);
  });
});
