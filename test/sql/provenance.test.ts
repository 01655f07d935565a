import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { openRows, type Rows } from '../support/rows.ts';

/** Tables with rows of a user that no session makes, or that a thief gains nothing by leaving behind. */
const REASONS: Record<string, string> = {
  users: 'an authenticator is in the row: totp_session_id names its session',
  sign_ups: 'made by a sign-up, which has no session, and not valid by itself',
  user_sessions: 'made by a proof of the password or of the mailbox; a reset ends all of them',
  login_codes: 'made by the service for a log-in, valid for 10 minutes',
  password_resets: 'proves the mailbox, not a session; valid for an hour',
  mails: 'written by the service to the address of the user',
  agreement_signatures: 'append only: the signature names its address and time, and binds nobody else',
  lost_money: 'kept by a restore: money that moved before it',
  payments: 'money that came in, from whoever paid it',
  prop_accounts: 'bought by a payment, and traded by sessions and keys that end',
  statement_lines: 'written by the service with what moved money or a position; nothing acts on a line',
};

describe('what a session makes', () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows.close());

  it('names the session, in every table of users or for a reason', async () => {
    const tables = await rows.db.any(sql.type(z.object({ name: z.string(), has_session: z.boolean() }))`
      select c.table_name as name, bool_or(c.column_name = 'made_in_session') as has_session
      from information_schema.columns c
      join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      group by c.table_name
      having bool_or(c.column_name = 'user_id') or c.table_name = 'users'`);

    const unnamed = tables.filter(({ has_session }) => !has_session).map(({ name }) => name);

    expect(unnamed).to.have.members(Object.keys(REASONS));
    expect(tables.filter(({ has_session }) => has_session).map(({ name }) => name)).to.have.members([
      'trader_keys',
      'connect_accounts',
      'payouts',
      'kyc_cases',
    ]);
  });

  it('is ended by the one routine, whatever it is', async () => {
    const source = await rows.db.oneFirst(sql.type(z.object({ source: z.string() }))`
      select p.prosrc as source from pg_proc p where p.proname = 'quarantine'`);

    for (const table of ['trader_keys', 'connect_accounts', 'payouts', 'kyc_cases', 'users'])
      expect(source).to.include(table);
  });
});
