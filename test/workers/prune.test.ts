import { expect } from 'chai';
import type { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Batch, type BatchDone, inBatches } from '../../src/db/batches.ts';
import { prunings } from '../../src/db/retention.ts';
import { until } from '../support/processes.ts';
import { bounds, DAYS, numberIn, openPruned, type Pruned, uuid } from '../support/pruning.ts';

const OLD = '1000 days';
const waiting = z.object({ waits: z.boolean() });

describe('housekeeping/prune', () => {
  let opened: Pruned;
  let { db, client, connected, prune, left } = {} as Pruned;
  before(async () => {
    opened = await openPruned();
    ({ db, client, connected, prune, left } = opened);
  });
  after(() => opened.close());

  type Made = { n: number; kind: string; age?: string; state?: string; target?: number };
  async function intent({ n, kind, age = OLD, state = 'succeeded', target }: Made): Promise<void> {
    const settled = !['queued', 'running', 'in_doubt'].includes(state);
    await client.query(
      `insert into intents (id, kind, owner, lane, state, request, outcome, digest, created_at, deadline_at, settled_at)
       values ($1, $2, 'ptn_1', $7, $3, $4, case when $5 then '{"result": {}}'::jsonb end, '', now() - $6::interval,
         now() - $6::interval, case when $5 then now() - $6::interval end)`,
      [uuid(n), kind, state, target ? { target: uuid(target) } : {}, settled, age, `lane ${n}`],
    );
  }
  async function order(made: Made & { lifecycle?: string | null; executed?: object }): Promise<void> {
    await intent({ ...made });
    await client.query(
      `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
       values ($1::uuid, 'netvenue', 'ptn_1', 'trader', 'BTCUSDC', $1::uuid::text, '{}', $2, $3)`,
      [uuid(made.n), made.lifecycle === undefined ? 'filled' : made.lifecycle, made.executed ?? null],
    );
  }
  const intentsLeft = async () => (await left('intents')).map(numberIn);

  it('deletes old settled intents without dependents, and no others', async () => {
    await intent({ n: 1, kind: 'network/cancel' });
    await intent({ n: 2, kind: 'network/cancel', age: '89 days' });
    await intent({ n: 3, kind: 'exchange/close', state: 'failed' });
    for (const [at, state] of ['queued', 'running', 'in_doubt'].entries()) {
      await intent({ n: 10 + at, kind: 'network/cancel', state });
    }
    for (const [at, kind] of [
      'payments/checkout',
      'payments/refund',
      'payouts/pay',
      'registration/purchase',
    ].entries()) {
      await intent({ n: 20 + at, kind });
    }
    await intent({ n: 30, kind: 'accounts/provision', state: 'failed' });
    for (const at of [31, 32]) await intent({ n: at, kind: 'accounts/provision' });
    await client.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ('e_1', 'e', 1, 'ptn_1', $1, 'crypto', 1, 'active')`,
      [uuid(31)],
    );
    await client.query(
      `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, intent_id)
       values ('pa_1', 'app_1', 'usr_1', 'tier_a', 'crypto', 'crypto', 1, 'subaccount_failed', $1)`,
      [uuid(32)],
    );

    const pruned = await prune();

    expect(pruned).to.deep.equal({ intents: 3 });
    expect(await intentsLeft()).to.have.members([2, 10, 11, 12, 20, 21, 22, 23, 31, 32]);
  });

  it('deletes a closed order together with its placement, and never one of them alone', async () => {
    await client.query('delete from intents');
    await order({ n: 1, kind: 'network/place' });
    await order({ n: 2, kind: 'exchange/place', state: 'failed', lifecycle: null });
    await order({ n: 3, kind: 'network/place', age: '399 days' });
    await order({ n: 4, kind: 'network/place', lifecycle: 'resting' });
    await order({ n: 5, kind: 'exchange/place', executed: { trigger_status: 'pending_parent_fill' } });
    await order({ n: 6, kind: 'network/place' });
    await intent({ n: 60, kind: 'network/cancel', state: 'in_doubt', target: 6 });
    await order({ n: 7, kind: 'network/protect' });
    await order({ n: 8, kind: 'network/protect', age: '100 days' });
    await order({ n: 9, kind: 'network/place' });
    await intent({ n: 90, kind: 'network/cancel', state: 'queued', target: 9 });
    await order({ n: 91, kind: 'network/place' });
    await client.query(`insert into idempotency_keys (owner, key, digest, intent_id) values ('ptn_1', 'k', '', $1)`, [
      uuid(91),
    ]);

    const pruned = await prune();

    expect(pruned).to.deep.equal({ orders: 3 });
    expect((await left('orders')).map(numberIn)).to.deep.equal([3, 4, 5, 6, 8, 9, 91]);
    expect(await intentsLeft()).to.deep.equal([3, 4, 5, 6, 8, 9, 60, 90, 91]);
  });

  it('keeps an intent while a key refers to it, and keys for 7 days', async () => {
    await client.query('delete from intents; delete from orders; delete from idempotency_keys');
    for (const at of [1, 2]) await intent({ n: at, kind: 'network/cancel' });
    await client.query(
      `insert into idempotency_keys (owner, key, digest, intent_id, created_at)
       values ('ptn_1', 'young', '', $1, now() - interval '6 days 23 hours'), ('ptn_1', 'old', '', $2, now() - interval '7 days 1 minute')`,
      [uuid(1), uuid(2)],
    );
    await client.query(
      `insert into idempotent_responses (caller, key, digest, created_at)
       values ('app_1', 'young', '', now() - interval '6 days 23 hours'), ('app_1', 'old', '', now() - interval '8 days')`,
    );

    const pruned = await prune();

    expect(pruned).to.deep.equal({ idempotency_keys: 1, idempotent_responses: 1, intents: 1 });
    expect(await left('idempotency_keys', 'key')).to.deep.equal(['young']);
    expect(await left('idempotent_responses', 'key')).to.deep.equal(['young']);
    expect(await intentsLeft()).to.deep.equal([1]);
  });

  it('keeps a key as long as its intent is in doubt: a repeat makes no second one', async () => {
    await client.query('delete from intents; delete from idempotency_keys');
    await intent({ n: 1, kind: 'network/cancel', state: 'in_doubt' });
    await client.query(
      `insert into idempotency_keys (owner, key, digest, intent_id, created_at) values ('ptn_1', 'k', '\\x00', $1, now() - interval '8 days')`,
      [uuid(1)],
    );
    const item = { n: 0, id: uuid(2), kind: 'network/cancel', owner: 'ptn_1', lane: null, request: {}, deadline_s: 60 };
    const repeat = [{ ...item, digest: '00', idempotency_key: 'k' }];

    await prune();

    const { rows } = await client.query('select intent_id, verdict from accept_intents($1)', [JSON.stringify(repeat)]);
    expect(rows).to.deep.equal([{ intent_id: uuid(1), verdict: 'replayed' }]);
    await client.query(`update intents set state = 'failed', outcome = '{}', settled_at = now() where id = $1`, [
      uuid(1),
    ]);
    expect((await prune()).idempotency_keys).to.equal(1);
  });

  it('deletes empty lanes', async () => {
    await client.query('delete from intents');
    await intent({ n: 1, kind: 'network/place', state: 'running' });
    await intent({ n: 2, kind: 'network/place', state: 'queued' });
    await client.query(`insert into lanes (name, head) values ('idle', null), ('lane 1', $1), ('lane 2', null)`, [
      uuid(1),
    ]);

    expect(await prune()).to.deep.equal({ lanes: 1 });
    expect(await left('lanes', 'name'), 'the sweep gives the second its head').to.deep.equal(['lane 1', 'lane 2']);
  });

  it('deletes no lane that an order enters meanwhile, in either order of commits', async () => {
    await client.query(
      `delete from intents; delete from lanes; insert into lanes (name) values ('entered'), ('taken')`,
    );
    const session = await connected();
    const enter = (by: Client, at: number, lane: string) =>
      by.query('select accept_intents($1)', [
        JSON.stringify([
          {
            n: 0,
            id: uuid(at),
            kind: 'network/place',
            owner: 'ptn_1',
            lane,
            request: {},
            digest: '00',
            deadline_s: 60,
          },
        ]),
      ]);

    await session.query('begin');
    await enter(session, 1, 'entered');
    const passedOver = await prune();
    await session.query("rollback; begin; select * from expire_lanes(0, 1000, '')");
    const entering = enter(client, 2, 'entered');
    await until('an order that waits for the pruning', () =>
      db.oneFirst(sql.type(waiting)`
      select exists (select from pg_locks where not granted and locktype = 'transactionid') as waits`),
    );
    await session.query('commit');
    await entering;
    await session.end();

    const { rows } = await client.query('select name, head from lanes');
    expect(passedOver).to.deep.equal({ lanes: 1 });
    expect(rows).to.deep.equal([{ name: 'entered', head: uuid(2) }]);
  });

  it('stays within its row limit, and skips locked rows', async () => {
    await client.query('delete from intents');
    for (let at = 1; at <= 25; at++) await intent({ n: at, kind: at % 2 ? 'network/cancel' : 'network/edit' });
    const holder = await connected();
    await holder.query('begin');
    await holder.query('select from intents where id = $1 for update', [uuid(1)]);
    const batches: BatchDone[] = [];
    const batch = prunings(db, DAYS).intents as Batch; // as: it is there
    const counting = async (most: number) => {
      const done = await batch(most);
      batches.push(done);
      return done;
    };

    await inBatches({ intents: counting }, bounds({ most: 10 }));
    await holder.query('commit');
    await holder.end();

    expect(batches).to.deep.equal([
      { seen: 10, taken: 9 },
      { seen: 10, taken: 10 },
      { seen: 5, taken: 5 },
    ]);
    expect(await intentsLeft()).to.deep.equal([1]);
  });
});
