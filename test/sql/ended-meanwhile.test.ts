import { expect } from 'chai';
import { type DbSession, type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';

/** What ends in a transaction that began later, and is used in one that began before: the time of its end is after that transaction's own. */
describe('in a transaction that has begun before its end', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app', 'app', 'app', '{api}');
      insert into partners (id, name) values ('ptn_a', 'Partner');
      insert into admins (id, email, role, password_hash) values ('one', 'one@x', 'admin', 'h'), ('two', 'two@x', 'admin', 'h')`);
  });
  after(() => intentDb.close());

  /** What a transaction reads after the end, which it began before. */
  async function readAfter<T extends object>(end: string, read: string): Promise<T | undefined> {
    const begun: DbSession = await intentDb.session();
    await begun.query('begin');
    await begun.query('select now()');
    await intentDb.query(end);
    const [row] = await begun.query<T>(read);
    await begun.query('commit');
    return row;
  }

  it('a secret that is replaced at once as a stolen one sets no endpoint any more', async () => {
    await intentDb.query(`select rotate_app_secret('app', null, 'first', '1', '', 0)`);
    expect(
      await readAfter(
        `select rotate_app_secret('app', null, 'second', '2', '', 0)`,
        `select use_credentials('first') is null as is_rejected, use_credentials('second') is null as is_second_rejected`,
      ),
    ).to.deep.equal({ is_rejected: true, is_second_rejected: false });
  });

  for (const [what, end] of [
    ['rolled without an overlap', 'expires_at'],
    ['revoked', 'revoked_at'],
  ])
    it(`a key that is ${what} sets none either`, async () => {
      await intentDb.query(
        `insert into partner_keys (id, partner_id, digest, hint) values ('${end}', 'ptn_a', '${end}', '')`,
      );
      expect(
        await readAfter(
          `update partner_keys set ${end} = now() where id = '${end}'`,
          `select use_credentials('${end}') is null as is_rejected`,
        ),
      ).to.deep.equal({ is_rejected: true });
    });

  it('an approval whose giver is logged out permits nothing', async () => {
    await intentDb.query(
      `select ask_for_approval('a', 'refundPayment', 'pay', 'request', '{}', null, 'admin', 'one', 3600)`,
    );
    await intentDb.query(`select decide_approval('a', 'two', array['admin'], true, 'why')`);
    expect(
      await readAfter(`select end_operator_sessions('two')`, `select u.id from use_approval('request') u`),
    ).to.equal(undefined);
  });

  it('nor does one whose use waits for that', async () => {
    await intentDb.query(
      `select ask_for_approval('b', 'refundPayment', 'pay', 'request', '{}', null, 'admin', 'one', 3600)`,
    );
    await intentDb.query(`select decide_approval('b', 'two', array['admin'], true, 'why')`);
    const [ending, using] = [await intentDb.session(), await intentDb.session()];
    await ending.query('begin');
    await ending.query(`select end_operator_sessions('two')`);
    const used = using.query(`select u.id from use_approval('request') u`);
    while ((await intentDb.query(WAITING)).length === 0);
    await ending.query('commit');
    expect(await used).to.deep.equal([]);
  });
});
