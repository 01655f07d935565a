import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import {
  getEventOfDelivery,
  listAttempts,
  listDeliveries,
} from '../../src/capabilities/webhooks/deliveries/queries.ts';
import type { DbPool } from '../../src/db/pool.ts';
import { type Hotkey, newIntentId, type OwnerId } from '../../src/kernel/ids.ts';
import { findFilledLately, listOrdersWithExits } from '../../src/venues/network/orders/queries.ts';
import { MY_SECOND, MY_WALLET, OTHER, openRows, PARTNER, type Rows } from '../support/rows.ts';

/** Rows of others that are alike in everything but their owner, trader or wallet, and of the past. */
describe('what is listed or accepted for one owner or trader', () => {
  let rows: Rows;
  let db: DbPool;
  const run: Rows['run'] = (...args) => rows.run(...args);
  before(async () => {
    rows = await openRows();
    db = rows.db;
    for (const owner of [PARTNER, OTHER]) await run('insert into partners (id, name) values ($1, $1)', owner);
  });
  after(() => rows.close());

  it('deliveries with their events and attempts, page by page', async () => {
    for (const owner of [PARTNER, OTHER]) {
      await run(
        `insert into webhook_endpoints (id, owner, url, events) values ('to ' || $1, $1::text, 'https://x', '{*}')`,
        owner,
      );
      for (const n of ['1', '2', '3']) {
        await run(
          `insert into events (id, owner, type, position, data, created_at) values ($1::text || $2::text, $1, 'x.y', -($2::text)::bigint, '{}', now())`,
          ...[owner, n],
        );
        await run(
          `insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at)
           values ('d' || $2::text || $1::text, $1, 'to ' || $1::text, $1::text || $2::text, 'delivered', now())`,
          ...[owner, n],
        );
        await run(
          `insert into webhook_attempts (delivery_id, n, started_at, duration_ms) values ('d' || $2 || $1, 1, now(), 1)`,
          ...[owner, n],
        );
      }
    }
    const page = async (owner: OwnerId, cursor: string | null) =>
      (await listDeliveries(db, owner, `to ${PARTNER}`, { cursor, limit: 10 })).map(({ id }) => id);

    expect(await page(PARTNER, null)).to.deep.equal(['3', '2', '1'].map((n) => `d${n}${PARTNER}`));
    expect(await page(PARTNER, `d3${PARTNER}`)).to.deep.equal(['2', '1'].map((n) => `d${n}${PARTNER}`));
    expect(await page(OTHER, null), 'of another').to.deep.equal([]);
    expect(await listAttempts(db, PARTNER, `d1${PARTNER}`)).to.have.length(1);
    expect(await listAttempts(db, OTHER, `d1${PARTNER}`), 'of another').to.deep.equal([]);
    expect(await getEventOfDelivery(db, PARTNER, `d1${PARTNER}`)).to.include({ type: 'x.y' });
    const foreign = await getEventOfDelivery(db, OTHER, `d1${PARTNER}`).catch(() => 'none');
    expect(foreign, 'of another').to.equal('none');
  });

  it('orders at the exchange while the live key of this owner’s wallet is not rejected', async () => {
    const key = (owner: string, of: string, version: string, more: string) =>
      run(
        `insert into signing_keys (id, owner, ex_wallet, signer, key_version, rejected_at, retired_at, waits)
         values ($1::uuid, $2, $3, $1::text, $4::integer, now(), ${more})`,
        ...[newIntentId(), owner, of, version],
      );
    for (const [owner, of] of [
      [PARTNER, MY_WALLET],
      [PARTNER, MY_SECOND],
      [OTHER, MY_WALLET],
    ] as const)
      await run('insert into enrollments (owner, ex_wallet) values ($1, $2)', owner, of);
    const verdict = (owner: string) => {
      const order = { n: 0, id: newIntentId(), kind: 'exchange/place', owner, trader: MY_WALLET, pair: 'BTC' };
      const batch = [{ ...order, lane: 'l', request: {}, terms: {}, digest: '00', deadline_s: 60 }];
      return db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
        select verdict from accept_exchange_orders(${JSON.stringify(batch)}::jsonb)`);
    };
    await key(PARTNER, MY_SECOND, '1', 'null, false');
    await key(OTHER, MY_WALLET, '1', 'null, false');
    await key(PARTNER, MY_WALLET, '1', 'now(), false');
    await key(PARTNER, MY_WALLET, '2', 'null, true');

    expect(
      await verdict(PARTNER),
      'rejected are another wallet’s, another owner’s, a retired and a waiting one',
    ).to.equal('accepted');
    expect(await verdict(OTHER)).to.equal('key_rejected');
  });

  it('the orders of a trader, filled lately or with exits', async () => {
    const order = async (trader: string, agoH: number) => {
      const id = newIntentId();
      await run(
        `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, created_at)
         values ($1::uuid, 'netvenue', $2, $3, 'BTCUSDC', $1::text, '{"order_type":"LONG"}', 'filled', now() - interval '${agoH} hours')`,
        ...[id, PARTNER, trader],
      );
      return id;
    };
    const [mine, theirs] = [await order('mine', 1), await order('theirs', 1)];
    await order('long ago', 25);
    const filled = await Promise.all(
      ['mine', 'long ago', 'none'].map((trader) => findFilledLately(db, trader as Hotkey, 'BTCUSDC')), // as: ids of the test
    );
    const listed = await listOrdersWithExits(db, 'mine' as Hotkey, [mine, theirs]); // as: an id of the test

    expect(filled).to.deep.equal([{ id: mine, handle: mine }, null, null]);
    expect(listed.map(({ id }) => id)).to.deep.equal([mine]);
  });
});
