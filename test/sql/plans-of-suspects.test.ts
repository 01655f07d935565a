import { expect } from 'chai';
import { sql } from 'slonik';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const FOREIGN = 5_000; // payments of other software at the same account at the processor

const PAST = `
  insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
  insert into users (id, app_id, email) values ('usr_1', 'app_1', 'a@example.com');
  insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_1', 'netvenue', 'crypto', 10000, 5000);
  insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
  select 'pay_' || n, 'app_1', 'usr_1', 'tier_1', 'netvenue', 'crypto', 10000, 5000, 'usd', gen_random_uuid() from generate_series(1, 1000) n;
  insert into processor_events (id, type, said_at, object_id, source, outcome, acted_at, fact)
  select 'evt_' || n, 'payment_intent.succeeded', now(), 'pi_' || n, 'notified', 'not_ours', now(),
    jsonb_build_object('about', 'payment', 'processorId', 'pi_' || n, 'paymentId', null)
  from generate_series(1, ${FOREIGN}) n;
  vacuum analyze`;

/** Counted at every reading of the metrics. */
describe('payments that are suspect, beside many of other software', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(PAST);
  });
  after(() => filled.close());

  it('are found without reading those', async () => {
    const before = await filled.rowsRead();

    await filled.db.query(sql.unsafe`select count(*) from ops.suspect_payments`);

    expect((await filled.rowsRead()) - before).to.be.below(100);
  });
});
