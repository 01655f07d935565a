import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createEndpoint } from '../../src/capabilities/webhooks/commands.ts';
import { type Db, openPool } from '../../src/db/pool.ts';
import type { PartnerId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

describe('active endpoints of a partner', () => {
  it('are at most as many as it may have, also when two are made at once', async () => {
    const MOST = 50;
    const intentDb = await openIntentDatabase();
    const db = await openPool(intentDb.url, 3, () => {});
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a')`);
    await intentDb.query(`insert into partner_keys (id, partner_id, digest, hint) values ('pky_a', 'ptn_a', 'a', '')`);
    await intentDb.query(
      `insert into webhook_endpoints (id, owner, url, events)
       select 'whe_' || n, 'ptn_a', 'https://x', '{*}' from generate_series(2, ${MOST}) n`,
    );
    const create = (on: Db, name: string) =>
      createEndpoint(
        on,
        { kind: 'partner', owner: 'ptn_a' as PartnerId, keyId: 'pky_a', perMinute: 1 }, // as: its prefix
        { url: 'https://x', events: ['*'], description: null },
        { id: name, secret: name, sealed: Buffer.from(name) },
      );
    let late: Promise<string> | undefined;

    await db.transaction(async (tx) => {
      await create(tx, 'one');
      late = create(db, 'two').then(
        () => 'made',
        (error) => error.code,
      );
      await sleep(200);
    });
    const second = await late;
    await db.end();
    await intentDb.close();

    expect(second).to.equal('V1_WEBHOOK_TOO_MANY');
  });
});

describe('an event of an owner', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a'), ('ptn_b', 'b')`);
  });
  afterEach(() => intentDb.close());

  const endpoint = async (id: string, owner: string, more?: string) => {
    await intentDb.query(
      `insert into webhook_endpoints (id, owner, url, events) values ($1, $2, 'https://x', '{order.updated}')`,
      [id, owner],
    );
    if (more) await intentDb.query(`update webhook_endpoints set ${more} where id = $1`, [id]);
  };
  const OFF = `active = false, deactivated_because = 'asked'`;
  const emit = (owner: string, type = 'order.updated') =>
    intentDb.query<{ queued: number }>(`select emit_events($1, $2, array['{}', '{}']::jsonb[]) as queued`, [
      owner,
      type,
    ]);
  const deliveries = async () =>
    (
      await intentDb.query<{ at: string }>(
        `select endpoint_id || ' ' || count(*) as at from webhook_deliveries group by endpoint_id order by 1`,
      )
    ).map(({ at }) => at);

  it('goes to its active endpoints that want it, and to no others', async () => {
    await endpoint('whe_a', 'ptn_a');
    await endpoint('whe_all', 'ptn_a', `events = '{*}'`);
    await endpoint('whe_off', 'ptn_a', OFF);
    await endpoint('whe_b', 'ptn_b');

    const wanted = await emit('ptn_a');
    const unwanted = await emit('ptn_a', 'enrollment.updated');

    expect([wanted[0]?.queued, unwanted[0]?.queued]).to.deep.equal([4, 2]);
    expect(await deliveries()).to.deep.equal(['whe_a 2', 'whe_all 4']);
  });

  it('has the next position of its own log, and moves the end of no other', async () => {
    await emit('ptn_b');
    await emit('ptn_a');
    await emit('ptn_a');

    const ends = await intentDb.query('select owner, last_position::integer as at from event_logs order by owner');
    expect(ends).to.deep.equal([
      { owner: 'ptn_a', at: 4 },
      { owner: 'ptn_b', at: 2 },
    ]);
  });

  it('is logged alone where its owner has no active endpoint, whatever others have', async () => {
    await endpoint('whe_off', 'ptn_a', OFF);
    await endpoint('whe_b', 'ptn_b');

    const [emitted] = await emit('ptn_a');

    const [logged] = await intentDb.query<{ owner: string; n: number }>(
      `select owner, count(*)::integer as n from events group by owner`,
    );
    expect([emitted?.queued, logged]).to.deep.equal([0, { owner: 'ptn_a', n: 2 }]);
    expect(await deliveries()).to.deep.equal([]);
  });

  it('is not queued for an endpoint that is deactivated at the same time', async () => {
    await endpoint('whe_a', 'ptn_a');
    const [operator, writer] = [await intentDb.session(), await intentDb.session()];
    await operator.query('begin');
    await operator.query(`update webhook_endpoints set ${OFF} where id = 'whe_a'`);

    const emitted = writer.query<{ queued: number }>(`select emit_event('ptn_a', 'order.updated', '{}') as queued`);
    await sleep(150);
    await operator.query('commit');

    expect((await emitted)[0]?.queued).to.equal(0);
    expect(await deliveries()).to.deep.equal([]);
  });
});

describe('a time in the log of an owner', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a'), ('ptn_b', 'b')`);
    // an event a minute; retention has left one of the first hundred, since its delivery still waits
    await intentDb.query(`
      insert into events (id, owner, type, position, data, created_at)
      select sortable_id('evt'), 'ptn_a', 'a.b', n, '{}', timestamptz '2026-01-01 00:00Z' + n * interval '1 minute'
      from generate_series(1, 1000) n
      where n = 7 or n > 100`);
  });
  after(() => intentDb.close());

  const since = async (owner: string, minutes: number) => {
    const [row] = await intentDb.query<{ position: number }>(
      `select position_since($1, timestamptz '2026-01-01 00:00Z' + make_interval(mins => $2))::integer as position`,
      [owner, minutes],
    );
    return row?.position;
  };

  it('has the position of the first event that is as new, also where positions are missing', async () => {
    const found: (number | undefined)[] = [];
    for (const minutes of [-5, 1, 7, 8, 100, 101, 102, 555, 1000]) found.push(await since('ptn_a', minutes));
    const [half] = await intentDb.query<{ position: number }>(
      `select position_since('ptn_a', timestamptz '2026-01-01 08:00:30Z')::integer as position`,
    );

    const firstAt = (position = 0) => (position <= 7 ? 7 : Math.max(101, position));
    expect(found.map(firstAt)).to.deep.equal([7, 7, 7, 101, 101, 101, 102, 555, 1000]);
    expect(half).to.deep.equal({ position: 481 });
  });

  it('is behind the end of the log if nothing is as new, and at its start if there is nothing', async () => {
    expect([await since('ptn_a', 1001), await since('ptn_b', 5)]).to.deep.equal([1001, 1]);
  });
});
