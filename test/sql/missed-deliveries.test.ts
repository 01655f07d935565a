import { expect } from 'chai';
import pg from 'pg';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

type Delivery = { event_id: string; state: string; retry_step: number; due_in_s: number };

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('recovery of an endpoint', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{*}');
      insert into webhook_endpoints (id, owner, url, events, created_at) values ('whe_1', 'app_1', 'https://x', '{a,webhook.test}', now() - interval '3 hours');
      insert into event_logs (owner, last_position) values ('app_1', 100)`);
  });
  afterEach(() => intentDb.close());

  /** An event of so many minutes ago, with a delivery in this state, if any. */
  const event = (
    id: string,
    { type = 'a', agoMin = 60, state }: { type?: string; agoMin?: number; state?: string } = {},
  ) =>
    intentDb.query(`
      insert into events (id, owner, type, position, data, created_at)
      values ('${id}', 'app_1', '${type}', 1000 - ${agoMin}, '{}', now() - interval '${agoMin} minutes')
      ${
        state
          ? `; insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, lane, retry_step, ended_at)
               values ('whd_${id}', 'app_1', 'whe_1', '${id}', '${state}', case when '${state}' = 'sending' then 0 end, 9,
                 case when '${state}' not in ('pending', 'sending') then now() end)`
          : ''
      }`);
  const recover = async ({ sinceMin = 120, most = 10, perSecond = 10 } = {}) =>
    (
      await intentDb.query<{ queued: number }>(
        `select queued from recover_endpoint('app_1', 'whe_1', now() - make_interval(mins => $1), $2, $3, 0)`,
        [sinceMin, most, perSecond],
      )
    )[0]?.queued;
  const deliveries = () =>
    intentDb.query<Delivery>(`
      select event_id, state, retry_step, round(extract(epoch from due_at - now()))::integer as due_in_s
      from webhook_deliveries
      order by event_id`);

  it('sends again what failed or was cancelled, from the start of the plan, and nothing that arrived or is on its way', async () => {
    for (const [n, state] of ['failed', 'cancelled', 'delivered', 'sending', 'pending'].entries())
      await event(state, { state, agoMin: 60 + n });

    expect(await recover()).to.equal(2);

    const steps = (await deliveries()).map(({ event_id, state, retry_step }) => [event_id, state, retry_step]);
    expect(steps).to.deep.equal([
      ['cancelled', 'pending', 0],
      ['delivered', 'delivered', 9],
      ['failed', 'pending', 0],
      ['pending', 'pending', 9],
      ['sending', 'sending', 9],
    ]);
  });

  it('sends of what it never had only what it subscribed to since it is there, and no test', async () => {
    await event('missed');
    await event('of another type', { type: 'b', agoMin: 61 });
    await event('before the endpoint', { agoMin: 200 });
    await event('before the time', { agoMin: 150 });
    await event('a test', { type: 'webhook.test', agoMin: 62 });

    expect(await recover()).to.equal(1);
    expect((await deliveries()).map(({ event_id }) => event_id)).to.deep.equal(['missed']);
    expect(await recover({ sinceMin: 300 })).to.equal(1);

    expect((await deliveries()).map(({ event_id }) => event_id)).to.deep.equal(['before the time', 'missed']);
  });

  it('sends the oldest first, no more than so many, and no more in a second than it says', async () => {
    await event('0', { agoMin: 110, state: 'delivered' });
    for (let n = 1; n <= 6; n += 1) await event(`${n}`, { agoMin: 100 - n });

    expect(await recover({ most: 5, perSecond: 2 })).to.equal(5);

    const due = (await deliveries()).map(({ event_id, due_in_s }) => [event_id, due_in_s]);
    expect(due.slice(1)).to.deep.equal([
      ['1', 0],
      ['2', 0],
      ['3', 1],
      ['4', 1],
      ['5', 2],
    ]);
    const [{ jobs } = { jobs: 0 }] = await intentDb.query<{ jobs: number }>(
      `select count(*)::integer as jobs from queue_jobs where task = 'webhooks/deliver'`,
    );
    expect(jobs, 'and begins').to.be.at.least(1);
  });

  for (const [what, held, queued] of [
    ['is searched for what it missed', 'lock table webhook_deliveries in access exclusive mode', 1],
    ['has that queued again', 'select from webhook_deliveries for update', 1],
    [
      'has all but what somebody else requested meanwhile queued again',
      `update webhook_deliveries set state = 'sending', lane = 0, ended_at = null`,
      0,
    ],
  ] as const)
    it(`${what} without holding the endpoint: events are written meanwhile`, async () => {
      await event('missed', { state: 'failed' });
      const [reader, other] = [new pg.Client(intentDb.url), new pg.Client(intentDb.url)];
      await Promise.all([reader.connect(), other.connect()]);
      try {
        await other.query(`begin; ${held}`);
        const recovered = reader.query(
          `select queued from recover_endpoint('app_1', 'whe_1', now() - interval '2 hours', 10, 10, 0)`,
        );
        await until('the search', async () => (await intentDb.query(WAITING)).length > 0 || null);

        const free = await other.query(`select id from webhook_endpoints for no key update skip locked`);

        expect(free.rows).to.deep.equal([{ id: 'whe_1' }]);
        await other.query('commit');
        expect((await recovered).rows).to.deep.equal([{ queued }]);
      } finally {
        await Promise.all([reader.end(), other.end()]);
      }
    });

  it('does not deadlock with a request for one of its deliveries', async () => {
    await event('first', { state: 'failed', agoMin: 61 });
    await event('second', { state: 'failed' });
    const [recovering, requesting, other] = await Promise.all([1, 2, 3].map(() => intentDb.session()));
    if (!recovering || !requesting || !other) throw new Error('three are open');
    const areWaiting = (count: number) =>
      until(`${count} wait`, async () => (await intentDb.query(WAITING)).length === count || null);
    await other.query('begin');
    await other.query(`select from webhook_deliveries d where d.id = 'whd_second' for update`);

    const recovered = recovering.query(
      `select verdict, queued from recover_endpoint('app_1', 'whe_1', now() - interval '2 hours', 10, 10, 0)`,
    );
    await areWaiting(1);
    const requested = requesting.query(`select redeliver('app_1', 'whd_first') as verdict`);
    await areWaiting(2);
    await other.query('commit');

    expect(await recovered).to.deep.equal([{ verdict: 'queued', queued: 2 }]);
    expect(await requested).to.deep.equal([{ verdict: 'queued' }]);
  });
});
