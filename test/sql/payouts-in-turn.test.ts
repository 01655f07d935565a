import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { payWaiting } from '../../src/capabilities/payouts/store.ts';
import { openPeople, type People } from '../support/people.ts';

describe('payouts whose wait is over', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
    await people.renew();
  });
  after(() => people.close());

  it('are requested in turns of their apps: none waits for all that became available to another one before', async () => {
    for (const [user, app, count] of [
      ['ann@a', 'a', 6],
      ['ann@b', 'b', 1],
    ] as const)
      await people.run(
        `with connected as (
           insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
           values ($1, $2, $1, $1, true, true, true)
         )
         insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, status, pay_after)
         select $2 || n, $2, $1, $1, $1, 1, 'usd', 'submitted', now() - make_interval(mins => $3::integer)
         from generate_series(1, $3::integer) n`,
        ...[user, app, String(count)],
      );

    await payWaiting(people.db, 2, 60_000);

    const begun = await people.db.anyFirst(sql.type(z.object({ owner: z.string() }))`
      select p.owner from payout_steps s join payouts p on p.id = s.payout_id order by 1`);
    expect(begun).to.deep.equal(['a', 'b']);
  });
});
