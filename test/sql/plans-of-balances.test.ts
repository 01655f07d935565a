import { expect } from 'chai';
import { listBalances, listEntries } from '../../src/capabilities/admin/ledger/queries.ts';
import { noteBalance } from '../../src/capabilities/ledger/commands.ts';
import { listProvable } from '../../src/capabilities/ledger/queries.ts';
import { listStranded } from '../../src/capabilities/payouts/queries.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const ACCOUNTS = 5_000; // each with a payout that arrived
const PAGE = 20;
const PAYMENTS = 20_000;
const TIMES = 8; // a plan for any account may be kept from the sixth execution on
const MOST_ROWS = 5 * PAGE;

const PAST = `
  insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
  insert into users (id, app_id, email) select 'usr_' || n, 'app_1', n || '@example.com' from generate_series(1, ${ACCOUNTS}) n;
  insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_1', 'netvenue', 'crypto', 10000, 0);
  insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
  select 'prop_' || n, 'app_1', 'usr_' || n, 'tier_1', 'netvenue', 'crypto', 10000, 'eliminated' from generate_series(1, ${ACCOUNTS}) n;
  insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
  select 'con_' || lpad(n::text, 5, '0'), 'app_1', 'usr_' || n, 'acct_' || n, true, true, true from generate_series(1, ${ACCOUNTS}) n;
  insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, status, processor_transfer_id, submitted_at)
  select 'po_' || n, 'app_1', 'usr_' || n, 'prop_' || n, 'con_' || lpad(n::text, 5, '0'), 100, 'usd', 'transferred', 'tr_' || n, now()
  from generate_series(1, ${ACCOUNTS}) n;
  insert into payout_steps (intent_id, payout_id, step, state, amount_cents, currency)
  select gen_random_uuid(), 'po_' || n, 'payout', 'sent', 100, 'usd' from generate_series(1, ${ACCOUNTS}) n;
  insert into ledger_accounts (kind, currency) values ('exchange', 'usd'), ('platform', 'usd'), ('receipts', 'usd');
  insert into ledger_accounts (kind, holder, currency)
  select kind, 'acct_' || n, 'usd' from generate_series(1, ${ACCOUNTS}) n, unnest(array['held', 'bank']) kind;
  insert into ledger_transactions (kind, subject, owner, said_at) select 'payment', 'pay_' || n, 'app_1', now() from generate_series(1, ${PAYMENTS}) n;
  insert into ledger_entries (transaction_id, debit_id, credit_id, currency, amount)
  select t.id, (select id from ledger_accounts where kind = 'platform'), (select id from ledger_accounts where kind = 'receipts'), 'usd', 100
  from ledger_transactions t;
  insert into ledger_transactions (kind, subject, owner, source, said_at)
  select 'arrival', 'po_' || n, 'app_1', 'py_' || n, now() from generate_series(1, ${ACCOUNTS}) n;
  insert into ledger_entries (transaction_id, debit_id, credit_id, currency, amount)
  select t.id, h.id, (select id from ledger_accounts where kind = 'exchange'), 'usd', 100
  from ledger_transactions t
  join ledger_accounts h on h.kind = 'held' and h.holder = 'acct_' || substr(t.subject, 4);
  vacuum analyze`;

/** Every night a proof asks it of each account. */
describe('the balance of one payout account, beside many others', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(PAST);
  });
  after(() => filled.close());

  /** How many transactions of the ledger were read so far. */
  async function transactionsRead(): Promise<number> {
    await filled.rowsRead();
    const { rows } = await filled.client.query(`
      select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where relname = 'ledger_transactions'`);
    return rows[0].read;
  }

  /** How many blocks of the ledger were read so far, with those of its indexes. */
  async function blocksRead(): Promise<number> {
    await filled.rowsRead();
    const { rows } = await filled.client.query(`
      select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::integer as read
      from pg_statio_user_tables where relname like 'ledger_%'`);
    return rows[0].read;
  }

  async function readBy(run: () => Promise<unknown>): Promise<number> {
    const before = await filled.rowsRead();
    await run();
    return (await filled.rowsRead()) - before;
  }

  it('is compared with the ledger without reading what belongs to others', async () => {
    const read: number[] = [];
    for (let n = 1; n <= TIMES; n += 1)
      read.push(
        await readBy(async () => {
          expect(await noteBalance(filled.db, `acct_${n}`, [{ currency: 'usd', amount: 100 }])).to.equal(false);
        }),
      );

    expect(read.filter((rows) => rows > MOST_ROWS)).to.deep.equal([]);
  });

  it('is read in pages, each without the payouts of others', async () => {
    const read = await readBy(async () => {
      expect(await listProvable(filled.db, 'con_02500', PAGE)).to.have.length(PAGE);
    });

    expect(read).to.be.below(MOST_ROWS);
  });

  it('is added up with all others from the entries alone', async () => {
    const before = await transactionsRead();

    expect(await listBalances(filled.db, {})).to.have.length(ACCOUNTS + 3);

    expect(await transactionsRead()).to.equal(before);
  });

  it('has entries, and a page of those of a kind of account names the accounts of these alone', async () => {
    const before = await blocksRead();

    expect(await listEntries(filled.db, { account: 'bank', cursor: null, limit: PAGE })).to.deep.equal([]);
    expect(await listEntries(filled.db, { account: 'platform', cursor: null, limit: PAGE })).to.have.length(PAGE);

    expect((await blocksRead()) - before).to.be.below(PAYMENTS / 5);
  });

  it('receives payouts, and finding the stranded ones does not add up those on their way to banks', async () => {
    const before = await transactionsRead();

    expect(await listStranded(filled.db)).to.deep.equal([]);

    expect(await transactionsRead()).to.equal(before);
  });
});
