import { expect } from 'chai';
import { listUnfulfilled } from '../../src/capabilities/accounts/prop/queries.ts';
import { isAction, listActions } from '../../src/capabilities/admin/audit/queries.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const PAYMENTS = 10_000;
const FAILED = 5;
const ACTIONS = 10_000;
const PAGE = 20;
const MOST_ROWS = 5 * PAGE;

/** Checkouts of the past: every fifth was abandoned, the others have an account, which failed for the first few. */
const PAST = `
  insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
  insert into users (id, app_id, email) values ('usr_1', 'app_1', 'a@example.com');
  insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_1', 'netvenue', 'crypto', 10000, 5000);
  insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id, status, paid_at,
    received_currency, created_at)
  select 'pay_' || n, 'app_1', 'usr_1', 'tier_1', 'netvenue', 'crypto', 10000, 5000, 'usd', gen_random_uuid(),
    case when n % 5 = 0 then 'canceled' else 'succeeded' end, case when n % 5 > 0 then now() - interval '1 hour' end,
    case when n % 5 > 0 then 'usd' end, now() - interval '1 hour'
  from generate_series(1, ${PAYMENTS}) n;
  insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status)
  select 'acc_' || p.id, 'app_1', 'usr_1', 'tier_1', p.id, 'netvenue', 'crypto', 10000,
    case when substr(p.id, 5)::integer <= ${FAILED} then 'subaccount_failed' else 'eliminated' end
  from payments p
  where p.paid_at is not null;
  insert into ledger_accounts (kind, currency) values ('platform', 'usd'), ('receipts', 'usd');
  insert into ledger_transactions (kind, subject, owner, said_at) select 'payment', p.id, 'app_1', p.paid_at from payments p where p.paid_at is not null;
  insert into ledger_entries (transaction_id, debit_id, credit_id, currency, amount)
  select t.id, (select id from ledger_accounts where kind = 'platform'), (select id from ledger_accounts where kind = 'receipts'), 'usd', 5000
  from ledger_transactions t;
  insert into admin_audit (action, subject, at)
  select 'an/action', 'pay_' || n, now() - make_interval(secs => ${ACTIONS} - n) from generate_series(1, ${ACTIONS}) n;
  insert into operator_actions (operator, action, subject, why, at)
  select 'someone', 'rerun', 'pay_' || n, 'a reason', now() - make_interval(secs => ${ACTIONS} - n) from generate_series(1, ${ACTIONS}) n;
  vacuum analyze`;

describe('what operators read, after years', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(PAST);
  });
  after(() => filled.close());

  it('payments without an account are found without reading the others: metrics and alerts ask every few seconds', async () => {
    const before = await filled.rowsRead();

    const found = await listUnfulfilled(filled.db, 10);

    expect(found).to.have.length(FAILED - 1); // the fifth was never paid
    expect((await filled.rowsRead()) - before).to.be.below(MOST_ROWS);
  });

  for (const table of ['a', 'o'])
    it(`a page of the log of operators begins at an entry (${table}) without reading those before it`, async () => {
      const cursor = `${table}${ACTIONS / 2}`;
      const before = await filled.rowsRead();

      const isKnown = await isAction(filled.db, cursor);
      const page = await listActions(filled.db, { subject: null, cursor, limit: PAGE });

      expect(isKnown).to.equal(true);
      expect(page).to.have.length(PAGE);
      expect((await filled.rowsRead()) - before).to.be.below(MOST_ROWS);
    });
});
