import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { payWaiting } from '../../src/capabilities/payouts/store.ts';
import { sweepPayouts } from '../../src/capabilities/payouts/sweep.ts';
import { unreadable } from '../../src/kernel/upstream-result.ts';
import { openPeople, type People } from '../support/people.ts';
import { until } from '../support/processes.ts';

describe('payouts whose wait is over', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
  });
  after(() => people.close());
  beforeEach(async () => {
    for (const table of ['payout_steps', 'payouts', 'connect_accounts']) await people.run(`delete from ${table}`);
    await people.renew();
    for (const [user, app, count] of [
      ['ann@a', 'a', 6],
      ['ann@b', 'b', 1],
    ] as const)
      await people.run(
        `with connected as (
           insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted, created_at)
           values ($1, $2, $1, $1, false, true, true, now() - interval '1 day')
         )
         insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, status, pay_after)
         select $2 || n, $2, $1, $1, $1, 1, 'usd', 'submitted', now() - make_interval(mins => $3::integer)
         from generate_series(1, $3::integer) n`,
        ...[user, app, String(count)],
      );
  });
  const begun = () =>
    people.db.anyFirst(sql.type(z.object({ owner: z.string() }))`
      select p.owner from payout_steps s join payouts p on p.id = s.payout_id order by 1`);

  it('are requested in turns of their apps, whatever became available to another app before', async () => {
    await payWaiting(people.db, 2, 60_000);

    expect(await begun()).to.deep.equal(['a', 'b']);
  });

  it('are requested beside those that somebody holds, however many: each was waited for, and nobody else’s was requested', async () => {
    const holder = new Client({ connectionString: people.url });
    await holder.connect();
    await holder.query(`begin; select from payouts where owner = 'a' for update`);
    const startedAt = performance.now();

    await payWaiting(people.db, 50, 60_000);
    const tookMs = performance.now() - startedAt;
    const beside = await begun();
    await holder.query('commit');
    await holder.end();
    await payWaiting(people.db, 50, 60_000);

    expect(beside).to.deep.equal(['b']);
    expect(tookMs).to.be.below(2_000);
    expect(await begun()).to.have.length(7);
  }).timeout(300_000);

  it('do not wait for what is read at a processor that is slow', async () => {
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<object>();
    const processor = new Proxy({}, { get: () => () => isAnswered }) as never; // as: whatever is read
    const config = { PAYMENT_RECONCILE_MS: 60_000, ACCOUNT_DEADLINE_MS: 60_000 };
    const log = { error: () => {} };

    const swept = sweepPayouts({ db: people.db, processor, config, log });
    await until('they are requested', async () => (await begun()).length === 7 || null, 2_000).finally(() =>
      answer(unreadable('slow')),
    );
    await swept;
  });
});
