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
    await intentDb.query(
      `insert into webhook_endpoints (id, owner, url, events)
       select 'whe_' || n, 'ptn_a', 'https://x', '{*}' from generate_series(2, ${MOST}) n`,
    );
    const create = (on: Db, name: string) =>
      createEndpoint(
        on,
        'ptn_a' as PartnerId, // as: its prefix
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
