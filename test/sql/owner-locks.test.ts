import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { createEndpoint } from '../../src/capabilities/webhooks/commands.ts';
import type { DbPool } from '../../src/db/pool.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import type { Principal } from '../../src/kernel/principal.ts';
import { openPeople, type People } from '../support/people.ts';

const ITEM = JSON.stringify([
  {
    n: 1,
    id: newIntentId(),
    prop_account_id: 'ann@a',
    owner: 'a',
    user_id: 'ann@a',
    trader: 'x',
    kind: 'network/place',
  },
]);
const APP = { kind: 'app', owner: 'a', secretId: 'secret' } as Principal; // as: an endpoint needs no more of its caller
const ENDPOINT = { url: 'https://x', events: ['*'], description: null };

const called = (call: string) => (db: DbPool) =>
  db.transaction((tx) => tx.query({ ...sql.unsafe``, sql: `select ${call}` }));

/** Calls that judge or count rows, by the row that somebody else may be changing meanwhile. */
const CALLS: Record<string, [locked: string, call: (db: DbPool) => Promise<unknown>]> = {
  'a submission of a payout, for its account': [
    `select from prop_accounts where id = 'ann@a' for update`,
    called(`submit_payout('out', 'a', 'ann@a', '{}', 100)`),
  ],
  'a submission of a payout, for the payout': [
    `select from payouts where id = 'out' for update`,
    called(`submit_payout('out', 'a', 'ann@a', '{}', 100)`),
  ],
  'an order of a prop account, for its status': [
    `update prop_accounts set status = 'eliminated' where id = 'ann@a'`,
    called(`accept_trading_orders('${ITEM}')`),
  ],
  'a new endpoint, for another of the same owner': [
    `select from apps where id = 'a' for no key update`,
    (db) => createEndpoint(db, APP, ENDPOINT, { id: 'new', secret: 's', sealed: Buffer.from('sealed') }),
  ],
};

describe('what is judged by rows that somebody else changes', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
    await people.renew();
    await people.run(
      `insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
       values ('to', 'a', 'ann@a', 'to', true, true, true)`,
    );
    await people.run(
      `insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
       values ('out', 'a', 'ann@a', 'ann@a', 'to', 100, 'usd')`,
    );
    await people.run(`insert into webhook_endpoints (id, owner, url, events) values ('end', 'a', 'https://x', '{*}')`);
    await people.run(`insert into app_secrets (id, app_id, digest, hint) values ('secret', 'a', 'd', '')`);
  });
  after(() => people.close());

  for (const [what, [locked, call]] of Object.entries(CALLS))
    it(`waits: ${what}`, async () => {
      let ended = false;
      let called: Promise<unknown> | undefined;

      const early = await people.db.transaction(async (tx) => {
        await tx.query({ ...sql.unsafe``, sql: locked });
        called = call(people.db).finally(() => {
          ended = true;
        });
        called.catch(() => {}); // reported below
        await sleep(150);
        return ended;
      });
      await called;

      expect(early).to.equal(false);
    });

  it('sees what it has waited for: nothing is queued again for an endpoint that is deactivated at that moment', async () => {
    await people.run(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at)
       select 'whd', 'a', 'end', e.id, 'failed', now() from record_event('a', 'x', '{}') e`,
    );
    let again: Promise<unknown> | undefined;

    await people.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select deactivate_endpoint('end', 'asked')`);
      again = people.db.transaction((other) =>
        other.oneFirst({ ...sql.unsafe``, sql: `select redeliver('a', 'whd')` }),
      );
      await sleep(150);
    });

    expect(await again).to.equal('inactive');
    expect(await people.run(`select from webhook_deliveries where state = 'failed'`)).to.equal(1);
    await people.run(`update webhook_endpoints set active = true, deactivated_because = null`);
  });

  it('sees what it has waited for: an endpoint is not recovered twice at once', async () => {
    const recover = `select verdict from recover_endpoint('a', 'end', now(), 10, 10, 60)`;
    let second: Promise<unknown> | undefined;

    await people.db.transaction(async (tx) => {
      await tx.query({ ...sql.unsafe``, sql: recover });
      second = people.db.transaction((other) => other.oneFirst({ ...sql.unsafe``, sql: recover }));
      await sleep(150);
    });

    expect(await second).to.equal('too_soon');
  });

  it('sees what it has waited for: an endpoint that a thief has set is not activated meanwhile', async () => {
    await people.run(`update webhook_endpoints set active = false, deactivated_because = 'asked',
      credentials = jsonb_build_object('secret', now()) where id = 'end'`);
    let quarantined: Promise<unknown> | undefined;

    await people.db.transaction(async (tx) => {
      await tx.query(
        sql.unsafe`update webhook_endpoints set active = true, deactivated_because = null where id = 'end'`,
      );
      quarantined = called(`quarantine_endpoints('a', '{secret}')`)(people.db);
      quarantined.catch(() => {}); // reported below
      await sleep(150);
    });
    await quarantined;

    expect(
      await people.run(`select from webhook_endpoints where id = 'end' and deactivated_because = 'stolen'`),
    ).to.equal(1);
    await people.run(`update webhook_endpoints set active = true, deactivated_because = null, credentials = '{}'`);
  });

  it('a lane neither takes a delivery that another one is taking, nor waits for it', async () => {
    await people.run('delete from webhook_deliveries');
    await people.run(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id)
       select 'whd_' || n, 'a', 'end', (record_event('a', 'x', '{}')).id from generate_series(1, 2) n`,
    );
    await people.run('update webhook_endpoints set lanes = 3');
    const step = (lane: number) => ({
      ...sql.unsafe``,
      sql: `select held ->> 'delivery_id' from step_lanes('[{"n": 0, "endpoint_id": "end", "lane": ${lane}}]')`,
    });
    let second: Promise<unknown> | undefined;

    const early = await people.db.transaction(async (tx) => {
      const first = await tx.oneFirst(step(0));
      second = people.db.transaction((other) => other.oneFirst(step(1)));
      return [first, await Promise.race([second, sleep(5_000, 'waits')])];
    });
    await second;

    expect(early.toSorted()).to.deep.equal(['whd_1', 'whd_2']);
  });

  it('a lane does not wait for an endpoint that somebody else has, to end', async () => {
    await people.run('delete from webhook_deliveries');
    let ending: Promise<unknown> | undefined;

    const verdict = await people.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from webhook_endpoints where id = 'end' for no key update`);
      ending = people.db.transaction((other) =>
        other.oneFirst(sql.unsafe`select verdict from step_lanes('[{"n": 0, "endpoint_id": "end", "lane": 0}]')`),
      );
      return Promise.race([ending, sleep(5_000, 'waits')]);
    });
    await ending;

    expect(verdict).to.equal('again');
  });
});
