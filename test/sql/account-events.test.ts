import { expect } from 'chai';
import { Client } from 'pg';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

type Event = { position: string; type: string };

describe('record_account_event', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
  });
  afterEach(() => intentDb.close());

  const record = (account: string) => `select record_account_event('${account}', 'account', '{}')`;
  const positionsOf = async (account: string) =>
    (
      await intentDb.query<Event>(`select position from account_events where prop_account_id = $1 order by position`, [
        account,
      ])
    ).map(({ position }) => Number(position));

  it('assigns positions without gaps, in the order of commits, under concurrent writers', async () => {
    const hands = await Promise.all(Array.from({ length: 8 }, () => intentDb.session()));

    await Promise.all(
      hands.map(async (session, n) => {
        for (let round = 0; round < 10; round += 1) {
          await session.query('begin');
          await session.query(record('prop_a'));
          await session.query(n % 3 === 0 ? 'rollback' : 'commit');
        }
      }),
    );

    expect(await positionsOf('prop_a')).to.deep.equal(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it('keeps a writer waiting until the previous one has ended: no position becomes visible before an earlier one', async () => {
    const [first, second] = [await intentDb.session(), await intentDb.session()];
    await first.query('begin');
    await first.query(record('prop_a'));
    const later = second.query(record('prop_a'));
    await new Promise((resolve) => setTimeout(resolve, 100));

    expect(await positionsOf('prop_a')).to.deep.equal([]);
    await first.query('commit');
    await later;
    expect(await positionsOf('prop_a')).to.deep.equal([1, 2]);
  });

  it('does not block writers of other accounts', async () => {
    const [first, second] = [await intentDb.session(), await intentDb.session()];
    await first.query('begin');
    await first.query(record('prop_a'));
    await second.query(record('prop_b'));

    expect(await positionsOf('prop_b')).to.deep.equal([1]);
    await first.query('commit');
  });

  it('reports where a reader can resume, and deletes old events', async () => {
    for (const _ of [1, 2, 3, 4]) await intentDb.query(record('prop_a'));
    const whole = async (place: number) =>
      (await intentDb.query<{ is_whole: boolean }>(`select is_whole from account_log_end('prop_a', $1)`, [place]))[0]
        ?.is_whole;
    await intentDb.query(`update account_events set created_at = now() - interval '2 days' where position <= 2`);

    const [forgotten] = await intentDb.query<{ count: string }>('select forget_account_events(86400, 100) count');

    expect(Number(forgotten?.count)).to.equal(2);
    expect(await positionsOf('prop_a')).to.deep.equal([3, 4]);
    const responses: unknown[] = [];
    for (const place of [0, 1, 2, 3, 4, 5]) responses.push(await whole(place));
    expect(responses).to.deep.equal([false, false, true, true, true, false]);
  });
});

describe('order_event', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  const [verb, order, name] = [newIntentId(), newIntentId(), newIntentId()];

  const eventOf = async (action: string, orderId: string, intent: Record<string, unknown> | null) => {
    const [row] = await intentDb.query<{ event: Record<string, unknown> }>(
      `select order_event($1, $2, (select o from orders o where o.id = $2), jsonb_populate_record(null::intents, $3)) as event`,
      [action, orderId, intent],
    );
    return row?.event;
  };

  it('names an order that was not placed as its caller did, with its pair, and why in a code of v2', async () => {
    const problem = { code: 'V1_NO_PRICE', message: 'none' };
    const [state, outcome] = ['failed', { problem }];
    const placed = { id: verb, given_id: name, state, request: { trade_pair: 'BTCUSD' }, outcome };
    const protection = { id: verb, given_id: name, state, request: { protection: { trade_pair: 'BTCUSD' } }, outcome };

    const common = { intent_id: verb, status: 'failed', trade_pair: 'BTCUSD', code: 'V2_NO_PRICE', message: 'none' };
    expect(await eventOf('place', verb, placed)).to.include({ ...common, action: 'place', order_uuid: name });
    expect(await eventOf('protect', order, protection)).to.include({ ...common, order_uuid: order });
  });

  it('says that nothing can prove what a verb did, which has not failed then', async () => {
    const outcome = { problem: { code: 'V1_ORDER_NOT_RESTING', effect: 'unknown' } };

    const edited = await eventOf('edit', order, { id: verb, state: 'failed', request: {}, outcome });

    expect(edited).to.include({ status: 'unknown', code: 'V2_ORDER_NOT_RESTING' });
  });

  it('says what was executed: by the verb, or of the order that it is about', async () => {
    const executed = { quantity: '1' };
    const verbOf = (result: object) => ({ id: verb, state: 'succeeded', request: {}, outcome: { result } });
    await intentDb.query(
      `insert into orders (id, given_id, venue, owner, trader, pair, terms, lifecycle, executed)
       values ($1, $2, 'netvenue', 'a', 'hk', 'BTCUSD', '{}', 'filled', '{"quantity": "2"}')`,
      [order, name],
    );

    const closed = await eventOf('close', verb, verbOf({ executed }));
    const filled = await eventOf('lifecycle', order, null);

    expect(closed).to.deep.include({ order_uuid: verb, status: 'completed', lifecycle: null, executed });
    const shown = { order_uuid: name, intent_id: null, status: 'completed', lifecycle: 'filled', trade_pair: 'BTCUSD' };
    expect(filled).to.deep.include({ ...shown, code: null, executed: { quantity: '2' } });
  });
});

describe('record_watch', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  const record = async (version: number, shown: object[] | null, changes: object[]) => {
    const [row] = await intentDb.query<{ ok: boolean }>(`select record_watch('prop_a', $1, $2, $3) as ok`, [
      ...[version, shown && JSON.stringify(shown), JSON.stringify(changes)],
    ]);
    return row?.ok;
  };
  const watch = async () => (await intentDb.query('select positions, notified_at from account_watches'))[0];

  it('writes the changes in their order, and nothing of a poll beside which another was recorded', async () => {
    const changes = [{ n: 1 }, { n: 2 }, { n: 3 }];
    expect(await record(0, [{ of: 'first' }], changes)).to.equal(true);
    expect(await record(0, [{ of: 'late' }], [{ n: 4 }])).to.equal(false);

    const told = await intentDb.query('select data from account_events order by position');
    expect(told.map((event) => Reflect.get(event, 'data'))).to.deep.equal(changes);
    expect(await watch()).to.deep.include({ positions: [{ of: 'first' }] });
  });

  it('keeps the positions that followers know, and when they were reported, where none have changed', async () => {
    const before = await watch();
    expect(await record(1, null, [])).to.equal(true);

    expect(await watch()).to.deep.equal(before);
  });

  it('announces the trader of changed positions, so that nobody reads what was cached before, and no other', async () => {
    await intentDb.query(
      `begin; set local session_replication_role = replica;
       insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey)
       values ('prop_a', 'app', 'usr', 'tier', 'm', 'crypto', 1, 'evaluation', 'e_1');
       commit`,
    );
    const client = new Client({ connectionString: intentDb.url });
    await client.connect();
    const announced: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => announced.push(payload));
    await client.query('listen traded');

    await record(2, [{ of: 'second' }], []);
    await client.query('select');
    expect(announced).to.deep.equal([]);
    await record(3, [{ of: 'third' }], [{ n: 5 }]);
    await client.query('select');
    await client.end();

    expect(announced).to.deep.equal(['e_1']);
  });
});

describe('sweep_watches', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('schedules one reconciliation of watched accounts without a recent one, and no others', async () => {
    await intentDb.query(`
      insert into account_watches (prop_account_id, listened_until, reconciled_at)
      values ('prop_broken', now() + interval '1 minute', now() - interval '1 hour'),
        ('prop_fresh', now() + interval '1 minute', now()),
        ('prop_left', now() - interval '1 minute', now() - interval '1 hour')`);

    for (const _ of [1, 2]) await intentDb.query('select sweep_watches(60, 100)');

    const jobs = await intentDb.query<{ account: string }>(`
      select payload ->> 'prop_account_id' as account from queue_jobs`);
    expect(jobs.map(({ account }) => account)).to.deep.equal(['prop_broken']);
  });

  it('schedules one of accounts that may trade while an order of theirs rests, also if there never was one', async () => {
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('a', 'a', 'a', '{x}'), ('b', 'b', 'b', '{x}');
      insert into users (id, app_id, email, password_salt) values ('u', 'a', 'u', 's');
      insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_x', 'm', 'crypto', 1, 0);
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
      select 'pay_' || n, 'a', 'u', 'tier_x', 'm', 'crypto', 1, 1, 'usd', gen_random_uuid() from unnest(array['rests', 'ended', 'stopped', 'foreign']) n;
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      select 'hk_' || n, 'hk', i, 'a', gen_random_uuid(), 'crypto', 1, 'active'
      from unnest(array['rests', 'ended', 'stopped', 'foreign']) with ordinality x (n, i);
      insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status, synthetic_hotkey)
      select n, 'a', 'u', 'tier_x', 'pay_' || n, 'm', 'crypto', 1, case n when 'stopped' then 'eliminated' else 'funded' end, 'hk_' || n
      from unnest(array['rests', 'ended', 'stopped', 'foreign']) n;
      insert into orders (id, venue, owner, trader, pair, terms, lifecycle)
      select gen_random_uuid(), 'netvenue', case n when 'foreign' then 'b' else 'a' end, 'hk_' || n, 'BTCUSD', '{}',
        case n when 'ended' then 'cancelled' else 'resting' end
      from unnest(array['rests', 'ended', 'stopped', 'foreign']) n`);

    await intentDb.query('select sweep_watches(60, 100)');

    const jobs = await intentDb.query<{ account: string }>(
      `select payload ->> 'prop_account_id' as account from queue_jobs order by 1`,
    );
    const watched = await intentDb.query<{ id: string }>(
      `select a.id from prop_accounts a where is_watched(a.id) and a.id <> 'foreign'`,
    );
    const left = await intentDb.query<{ is: boolean }>(`select is_watched('prop_left') as is`);
    expect(jobs.map(({ account }) => account)).to.deep.equal(['prop_broken', 'rests']);
    expect(watched).to.deep.equal([{ id: 'rests' }]);
    expect(left).to.deep.equal([{ is: false }]);
  });
});
