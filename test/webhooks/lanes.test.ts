import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { deliveriesSuite } from '../support/webhooks.ts';

describe('the lanes of an endpoint', () => {
  const { fixture, deliveries, attempts, endpointRow, tried } = deliveriesSuite();

  it('allow at most four deliveries in flight at an endpoint, and one while it fails', async () => {
    fixture.receiver.behave(() => ({ status: 200, delayMs: 40 }));
    await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await fixture.d.rows(`select count(emit_event($1, 'a', '{}')) from generate_series(1, 60)`, [fixture.app]);
    await fixture.d.settled();
    expect(fixture.receiver.inFlight.most).to.equal(4);

    fixture.receiver.behave(() => ({ status: 500, delayMs: 40 }));
    await fixture.d.emit(fixture.app, 'b');
    await tried(61);
    fixture.receiver.inFlight.most = 0;
    await fixture.d.rows(`select count(emit_event($1, 'c', '{}')) from generate_series(1, 10)`, [fixture.app]);
    await tried(71);
    expect(fixture.receiver.inFlight.most).to.equal(1);

    fixture.receiver.behave(() => ({ status: 200, delayMs: 40 }));
    await fixture.d.hurry();
    await fixture.d.settled();
    expect(fixture.receiver.ledger).to.have.length(60 + 11 + 11);
  });

  it('leave no lane occupied and no job behind once everything has been delivered', async () => {
    const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await Promise.all(Array.from({ length: 50 }, () => fixture.d.emit(fixture.app, 'a')));
    await fixture.d.settled();

    await until('the lanes are free', async () => (await endpointRow(id))?.lanes === 0);
    const left = await fixture.d.rows(`select from queue_jobs where payload ->> 'endpoint_id' = $1`, [id]);
    expect(left.length).to.be.at.most(4);
    expect(fixture.receiver.ledger).to.have.length(50);
    const [swept] = await fixture.d.rows('select requeue_stranded_lanes() found');
    expect(swept).to.deep.equal({ found: 0 });
  });

  it('resume the work of a dead worker, and reject the outcome of one that was only paused', async () => {
    await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    const { id: endpoint } = await fixture.d.endpoint(fixture.app, 'http://127.0.0.1:9/unused', ['kyc.updated']);
    await fixture.d.rows('update webhook_endpoints set lanes = 1 where id = $1', [endpoint]);
    await fixture.d.rows(`update webhook_endpoints set url = $2 where id = $1`, [
      endpoint,
      `${fixture.receiver.url}/kept`,
    ]);
    await fixture.d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id) select 'whd_slept', $1, $2, (record_event($1, 'x', '{}')).id`,
      [fixture.app, endpoint],
    );
    const step = async (data?: object) => {
      const batch = JSON.stringify([{ n: 0, endpoint_id: endpoint, lane: 0, said: data }]);
      return (
        await fixture.d.rows<{ verdict: string; held: { fence: number; delivery_id: string } }>(
          'select verdict, held from step_lanes($1)',
          [batch],
        )
      )[0];
    };
    const asleep = await step();

    await fixture.d.rows('select watch_lane($1, 0, 0)', [endpoint]);
    await fixture.d.settled();
    const late = await step({
      ...asleep?.held,
      ending: 'retry',
      retry_in_s: 1,
      duration_ms: 1,
      status: 500,
      error: 'status',
    });

    expect(asleep).to.include({ verdict: 'send' });
    expect(late).to.include({ verdict: 'lost' });
    expect(fixture.receiver.ledger.map(({ headers }) => headers['x-service-delivery'])).to.deep.equal(['whd_slept']);
    expect((await attempts()).map(({ error }) => error)).to.deep.equal(['lost', null]);
    expect((await deliveries())[0]).to.include({ state: 'delivered', attempts: 2 });
  });

  it('record of a delivery that was taken over only what its present worker says, and that once', async () => {
    const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await fixture.d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id) select 'whd_over', $1, $2, (record_event($1, 'x', '{}')).id`,
      [fixture.app, id],
    );
    const step = async (said?: object) => {
      const batch = JSON.stringify([{ n: 0, endpoint_id: id, lane: 3, said }]);
      const text = 'select verdict, held from step_lanes($1)';
      return (await fixture.d.rows<{ verdict: string; held: object | null }>(text, [batch]))[0];
    };
    const arrived = { ending: 'delivered', duration_ms: 1, status: 200 };
    const failed = { ending: 'failed', duration_ms: 1, error: 'status' };
    const paused = await step();
    const present = await step();

    const late = await step({ ...paused?.held, ...failed });
    const first = await step({ ...present?.held, ...arrived });
    const again = await step({ ...present?.held, ...arrived });

    expect([late?.verdict, first?.verdict, again?.verdict]).to.deep.equal(['lost', 'idle', 'lost']);
    expect((await deliveries())[0]).to.include({ state: 'delivered', attempts: 2 });
  });

  it('take what has waited longest, signed with the secrets that are valid', async () => {
    const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await fixture.d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id, due_at)
       select 'whd_waits_' || s, $1, $2, (record_event($1, 'x', '{}')).id, now() - make_interval(secs => s) from unnest(array[1, 3, 2]) s`,
      [fixture.app, id],
    );
    await fixture.d.rows(
      `insert into webhook_secrets (id, endpoint_id, sealed, expires_at)
       select $1 || a, $1, '', now() + make_interval(secs => a) from unnest(array[-1, 60]) a`,
      [id],
    );

    const steps = await fixture.d.rows<{ held: { delivery_id: string; secrets: { id: string }[] } }>(
      'select held from step_lanes($1)',
      [JSON.stringify([{ n: 0, endpoint_id: id, lane: 0 }])],
    );

    expect(steps[0]?.held.delivery_id).to.equal('whd_waits_3');
    const signing = steps[0]?.held.secrets.map((secret) => secret.id);
    expect(signing).to.have.length(2).and.include(`${id}60`);
    await fixture.d.rows(
      `update webhook_deliveries set state = 'cancelled', lane = null, ended_at = now() where endpoint_id = $1`,
      [id],
    );
  });

  for (const [while_, lanes, lane, change] of [
    ['their owner is disabled', 1, 0, 'update apps set disabled_at = now() where id = $1'],
    [
      'their endpoint fails and has a lower one',
      3,
      1,
      'update webhook_endpoints set failing_since = now() where owner = $1',
    ],
  ] as const)
    it(`take nothing while ${while_}, although something is due when they end`, async () => {
      const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
      await fixture.d.rows(change, [fixture.app]);
      await fixture.d.rows(
        `insert into webhook_deliveries (id, owner, endpoint_id, event_id) select $3, $1, $2, (record_event($1, 'x', '{}')).id`,
        [fixture.app, id, `whd_held_${lane}`],
      );
      await fixture.d.rows('update webhook_endpoints set lanes = $2 where id = $1', [id, lanes]);

      const batch = JSON.stringify([{ n: 0, endpoint_id: id, lane }]);
      const [step] = await fixture.d.rows('select verdict, held from step_lanes($1)', [batch]);

      expect(step).to.deep.equal({ verdict: 'idle', held: null });
      expect((await deliveries()).find((one) => one.id === `whd_held_${lane}`)).to.include({
        state: 'pending',
        attempts: 0,
      });
      await fixture.d.rows('update webhook_endpoints set lanes = 0, failing_since = null where id = $1', [id]);
      await fixture.d.rows(`update webhook_deliveries set state = 'cancelled', ended_at = now() where id = $1`, [
        `whd_held_${lane}`,
      ]);
    });

  for (const [what, ago, next] of [
    ['long ago, before all of them were off', '30 days', 'requeue_stranded_lanes()'],
    ['before a failover set the time back', '-20 seconds', 'watch_lane(e.id, 0, 0)'],
  ])
    it(`resume the work of a worker that died ${what}`, async () => {
      const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
      await fixture.d.rows('update webhook_endpoints set lanes = 1 where id = $1', [id]);
      await fixture.d.rows(
        `insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, lane, fence, attempts, taken_at)
         select sortable_id('whd'), $1, $2, (record_event($1, 'x', '{}')).id, 'sending', 0, 1, 1, now() - $3::interval`,
        [fixture.app, id, ago],
      );

      await fixture.d.rows(`select ${next} from webhook_endpoints e where e.id = $1`, [id]);
      await fixture.d.settled();

      const [lost, sent] = await attempts();
      expect([lost?.error, sent?.error]).to.deep.equal(['lost', null]);
      expect(lost?.duration_ms).to.be.at.least(0);
      expect((await deliveries())[0]).to.include({ state: 'delivered', attempts: 2 });
    });

  it('restart lanes and endpoints that lost their jobs', async () => {
    const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
    await fixture.d.rows(`update webhook_endpoints set lanes = 5 where id = $1`, [id]);
    await fixture.d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id) select 'whd_lane', $1, $2, (record_event($1, 'x', '{}')).id`,
      [fixture.app, id],
    );
    const other = await fixture.d.endpoint(fixture.app, fixture.receiver.url, ['kyc.updated']);
    await fixture.d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id, due_at)
       select 'whd_due', $1, $2, (record_event($1, 'x', '{}')).id, now() - interval '2 minutes'`,
      [fixture.app, other.id],
    );

    const [swept] = await fixture.d.rows('select requeue_stranded_lanes() found');
    await fixture.d.settled();

    expect(swept).to.deep.equal({ found: 2 });
    expect(fixture.receiver.ledger.map(({ headers }) => headers['x-service-delivery']).sort()).to.deep.equal([
      'whd_due',
      'whd_lane',
    ]);
    await until('the lanes are free', async () => (await endpointRow(id))?.lanes === 0);
  });

  it('are looked for by the keys of their jobs: meanwhile no event of their owners can be written', async () => {
    const [ENDPOINTS, OTHERS] = [20, 500];
    await fixture.d.rows(
      `select graphile_worker.add_job('mail/send', '{}', run_at => now() + interval '1 day') from generate_series(1, $1::integer)`,
      [OTHERS],
    );
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url);
      await fixture.d.rows(`update webhook_endpoints set lanes = 1 where id = $1`, [id]);
      await fixture.d.rows(`select enqueue(array[lane_job($1, 0, now() + interval '1 hour')])`, [id]);
    }

    const [swept] = await fixture.d.rows<{ found: number; read: number }>(
      `select s.found, r.read::integer
       from (select requeue_stranded_lanes() as found offset 0) s
       cross join lateral (
         select sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0)) as read
         from pg_stat_xact_user_tables t
         where t.schemaname = 'graphile_worker' and s.found is not null
       ) r`,
    );

    expect(swept?.found).to.be.below(ENDPOINTS);
    expect(swept?.read).to.be.below((ENDPOINTS * OTHERS) / 4);
  });
});
