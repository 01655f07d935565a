import { sql } from 'slonik';
import type { Trading } from './trading.ts';

/** Rows whose causes are failures of upstreams; pairs of them are of one moment. */
export async function fillTables(
  { db }: Trading,
  app: string,
  user: { userId: string; account: string },
): Promise<void> {
  const { userId, account } = user;
  const statements = [
    sql.unsafe`
      insert into intents (id, kind, owner, state, request, outcome, digest, fence, attempts, deadline_at, settled_at)
      select gen_random_uuid(), 'accounts/provision', ${app}, 'failed', '{}', '{"problem": {"code": "VENUE_REJECTED"}}', '', 1, 1, now(), now()
      from generate_series(1, 2)`,
    sql.unsafe`
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id, status, paid_at,
        received_currency)
      select 'pay_listed_' || i.id, ${app}, ${userId}, 'tier_25k', 'crypto', 'crypto', 25000, 19900, 'usd', i.id, 'succeeded', now(), 'usd'
      from intents i
      where i.owner = ${app} and i.state = 'failed' and i.kind = 'accounts/provision'`,
    sql.unsafe`
      select post_entries(p.id, p.owner, 'payment', null, now(), null, jsonb_build_array(leg('receipts', 'platform', 'usd', 19900)))::text
      from payments p
      where p.id like 'pay_listed%'`,
    sql.unsafe`
      insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status, created_at)
      select 'prop_listed' || row_number() over (), ${app}, ${userId}, 'tier_25k', p.id, 'crypto', 'crypto', 25000, 'subaccount_failed',
        now() - interval '1 hour'
      from payments p
      where p.id like 'pay_listed%'`,
    sql.unsafe`
      insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, status, processor_transfer_id)
      select 'po_listed' || n, ${app}, ${userId}, ${account}, ${`con_${userId}`}, 100, 'usd', 'failed', 'tr_listed' || n
      from generate_series(1, 2) n`,
    sql.unsafe`
      insert into balance_differences (subject, currency, posted, shown)
      select 'po_listed' || n, 'usd', 0, 100
      from generate_series(1, 2) n`,
    sql.unsafe`
      select post_entries('po_listed' || n, ${app}, 'reservation', null, now(), null, jsonb_build_array(leg('owed', 'earned', 'usd', 100)))::text
      from generate_series(1, 2) n`,
    sql.unsafe`
      insert into mails (id, template, recipient, data, state, expires_at, ended_at)
      select gen_random_uuid(), 'none', 'a@example.com', '{}', 'refused', now(), now()
      from generate_series(1, 2)`,
    sql.unsafe`
      insert into figures (width_s, at, figure, label, value)
      select w, date_bin(make_interval(secs => w), now(), 'epoch') - make_interval(secs => w * s), f, l, s * n
      from unnest(array[60, 300]) w, generate_series(1, 5) s, unnest(array['orders_per_second', 'failed_intents']) f,
        unnest(array['netvenue', 'exvenue', 'A', 'B', 'C', 'D', 'E', 'F']) with ordinality as labels (l, n)
      on conflict do nothing`,
    sql.unsafe`
      insert into orders (id, venue, owner, trader, pair, handle, terms)
      select i.id, 'netvenue', i.owner, 'listed', 'BTCUSDC', i.id::text, '{}' from intents i where i.owner = ${app} and i.state = 'failed' and i.kind = 'accounts/provision'`,
    sql.unsafe`
      insert into payment_losses (processor_id, payment_id, kind, amount_cents, status, is_live, rank, said_at)
      select 'du_' || p.id, p.id, 'dispute', 100, 'lost', true, 1, now() from payments p where p.id like 'pay_listed%'`,
    sql.unsafe`
      select graphile_worker.add_job('housekeeping/prune', '{}', job_key => 'listed-' || n, run_at => now() + interval '1 day')
      from generate_series(1, 2) n`,
    sql.unsafe`
      update queue_jobs set attempts = max_attempts
      where task = 'housekeeping/prune' and run_at > now() + interval '12 hours'`,
  ];
  for (const statement of statements) await db.query(statement);
}
