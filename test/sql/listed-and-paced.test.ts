import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { findPaymentShown, findRefundCents } from '../../src/capabilities/payments/queries.ts';
import { type Hotkey, newIntentId, type OwnerId, type PaymentId, type UserId } from '../../src/kernel/ids.ts';
import { findBusy, listRecordedOrders } from '../../src/venues/network/orders/queries.ts';
import { openPeople, type People } from '../support/people.ts';

const [OWNER, TRADER] = ['a' as OwnerId, 'hk_1' as Hotkey]; // as: ids of the test
const [PAYMENT, USER] = ['pay' as PaymentId, 'ann@a' as UserId]; // as: ids of the test

/** Rows on both sides of a time, an amount or a place in a list. */
describe('what a time, an amount or a place in a list decides', () => {
  let people: People;
  const run: People['run'] = (...args) => people.run(...args);
  const ask: People['ask'] = (...args) => people.ask(...args);
  before(async () => {
    people = await openPeople();
    await people.renew();
    await run(`insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('hk_1', 'hk', 1, 'a', gen_random_uuid(), 'crypto', 1, 'active')`);
  });
  after(() => people.close());

  it('which orders of a batch a trader’s pace lets in: the first ones', async () => {
    const order = { kind: 'network/place', owner: 'a', trader: TRADER, pair: 'BTCUSDC', pace: 'p', pace_most: 2 };
    const batch = [0, 1, 2].map((n) => ({
      ...{ ...order, n, id: newIntentId(), lane: `netvenue:hk_1:${n}` },
      ...{ request: { trader: TRADER }, terms: {}, digest: '00', deadline_s: 60 },
    }));

    const verdicts = await people.db.any(sql.type(z.object({ n: z.number(), verdict: z.string() }))`
      select n, verdict from accept_network_orders(${JSON.stringify(batch)}::jsonb) order by n`);

    expect(verdicts.map(({ verdict }) => verdict.split(' ')[0])).to.deep.equal(['accepted', 'accepted', 'paced']);
  });

  it('the page behind a cursor: older orders', async () => {
    const ids = [];
    for (const hours of [3, 2, 1]) {
      const id = newIntentId();
      ids.unshift(id);
      await run(
        `insert into intents (id, kind, owner, lane, state, request, digest, deadline_at, settled_at, outcome, created_at)
         values ($1::uuid, 'network/place', 'a', $1::text, 'succeeded', '{"trader": "hk_1"}', '', now(), now(), '{}', now() - interval '${hours} hours')`,
        id,
      );
      await run(
        `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, created_at)
         values ($1::uuid, 'netvenue', 'a', 'hk_1', 'ETHUSDC', $1::text, '{}', 'filled', now() - interval '${hours} hours')`,
        id,
      );
    }

    const page = await listRecordedOrders(people.db, OWNER, TRADER, {
      state: 'filled',
      cursor: ids[1] ?? '',
      limit: 9,
    });

    expect(page.map(({ id }) => id)).to.deep.equal(ids.slice(2));
  });

  it('whether a verb of a pair is under way, and for how long', async () => {
    const open = (age: string) =>
      run(
        `insert into intents (id, kind, owner, lane, state, request, digest, deadline_at, created_at)
         values ($1, 'network/edit', 'a', 'netvenue:hk_1:SOLUSDC', 'queued', '{"trader": "hk_1"}', '', now(), now() - interval '${age}')`,
        newIntentId(),
      );
    const found = [await findBusy(people.db, TRADER, 'SOLUSDC')];
    await open('1 minute');
    found.push(await findBusy(people.db, TRADER, 'SOLUSDC'), await findBusy(people.db, TRADER, 'XRPUSDC'));
    await open('1 second');

    expect([...found, await findBusy(people.db, TRADER, 'SOLUSDC')]).to.deep.equal([null, 'long', null, 'recent']);
  });

  it('what a refund moves at most, and when the account of a payment changed', async () => {
    await run(
      `insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id, created_at)
       values ('pay', 'a', 'ann@a', 'tier_x', 'm', 'crypto', 1, 100, 'usd', gen_random_uuid(), now() - interval '1 hour')`,
    );
    await run(`update prop_accounts set payment_id = 'pay', status_at = created_at where id = 'ann@a'`);
    const timeline = async () => (await findPaymentShown(people.db, OWNER, USER, PAYMENT))?.timeline;
    const unchanged = await timeline();
    await run(`update prop_accounts set status_at = created_at + interval '1 hour' where id = 'ann@a'`);

    expect(await findRefundCents(people.db, PAYMENT), 'nothing was received').to.equal(100);
    expect(unchanged?.map(({ event }) => event)).to.deep.equal(['created', 'account_opened']);
    expect((await timeline())?.map(({ event }) => event)).to.deep.equal([
      'created',
      'account_opened',
      'account_provisioning',
    ]);
  });

  describe('of an endpoint', () => {
    before(() => run(`insert into webhook_endpoints (id, owner, url, events) values ('end', 'a', 'https://x', '{*}')`));

    it('whether it may be recovered again', async () => {
      const recovered = (ago: string) =>
        run(`update webhook_endpoints set recovered_at = now() - interval '${ago}' where id = 'end'`);
      const verdict = () => ask(`(select r.verdict from recover_endpoint('a', 'end', now(), 10, 10, 60) r)`);
      await recovered('61 seconds');
      const late = await verdict();
      await recovered('55 seconds');

      expect([late, await verdict()]).to.deep.equal(['queued', 'too_soon']);
    });

    it('how long an old secret signs: no longer than it did', async () => {
      const secret = (id: string, left: string) =>
        run(
          `insert into webhook_secrets (id, endpoint_id, sealed, expires_at) values ($1, 'end', 'sealed', ${left})`,
          id,
        );
      await secret('ends soon', `now() + interval '10 minutes'`);
      await secret('current', 'null');

      await ask(`rotate_webhook_secret('a', 'end', 'next', 'sealed', 3600, '{}')::text`);

      const minutes = await people.db.any(sql.type(z.object({ id: z.string(), left: z.number().nullable() }))`
        select id, round(extract(epoch from expires_at - now()) / 60)::integer as left from webhook_secrets where endpoint_id = 'end' order by id`);
      expect(minutes).to.deep.equal([
        { id: 'current', left: 60 },
        { id: 'ends soon', left: 10 },
        { id: 'next', left: null },
      ]);
    });
  });

  it('which sessions a link to a payout account is held against: those that live', async () => {
    await run(
      `insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
       values ('to', 'a', 'ann@a', 'to', true, true, true)`,
    );
    const note = (session: string) => ask(`note_payout_link('to', $1)`, session);
    await note('s ann@a');
    await run(`update user_sessions set revoked_at = now() where id = 's ann@a'`);
    await note('t ann@a');

    expect(await ask(`(select linked_in_sessions from connect_accounts where id = 'to')`)).to.deep.equal(['t ann@a']);
  });
});
