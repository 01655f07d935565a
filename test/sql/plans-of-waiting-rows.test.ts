import { expect } from 'chai';
import { sql } from 'slonik';
import { findConnectAccount } from '../../src/capabilities/payouts/queries.ts';
import { idSchema } from '../../src/kernel/ids.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const MANY = 3_000;
const TIMES = 8; // a plan is kept from the sixth execution on
const MOST_ROWS = 25;
const [APP, USER] = [idSchema.app.parse('app_1'), idSchema.user.parse('usr_1')];

/** While nothing waits, an index of what waits is empty and so looks cheapest, whatever it is ordered by; a session keeps that plan. */
const OWNER = `
  insert into apps (id, slug, name, allowed_scopes) values ('${APP}', 'one', 'One', '{api}');
  vacuum analyze`;
const WAITING = `
  insert into users (id, app_id, email, password_salt)
  select 'usr_' || n, '${APP}', n || '@example.com', '' from generate_series(1, ${MANY}) n;
  insert into connect_accounts (id, owner, user_id, processor_account_id, country, payouts_enabled, charges_enabled, details_submitted)
  select 'acc_' || n, '${APP}', 'usr_' || n, 'acct_' || n, 'US', true, true, true from generate_series(1, ${MANY}) n`;

describe('a statement about one that waits, kept from when none did', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(OWNER);
  });
  after(() => filled.close());

  const statements: Record<string, () => Promise<unknown>> = {
    'an address that is verified': () =>
      filled.db.any(sql.unsafe`
        select from verify_by_code(${APP}, '1@example.com', array['\\x00'::bytea], 's', '\\x00', 1, '127.0.0.1', '\\x00')`),
    'the payout account of a user': () => findConnectAccount(filled.db, APP, USER),
  };

  it('reads few of the others', async () => {
    for (const run of Object.values(statements)) for (let n = 0; n < TIMES; n += 1) await run();
    for (const statement of [...WAITING.split(';'), 'select pg_stat_force_next_flush()'])
      await filled.client.query(statement);
    const read: Record<string, number> = {};
    for (const [name, run] of Object.entries(statements)) {
      const before = await filled.rowsRead();
      await run();
      read[name] = (await filled.rowsRead()) - before;
    }

    expect(Object.entries(read).filter(([, rows]) => rows > MOST_ROWS)).to.deep.equal([]);
  });
});
