import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Caller } from '../support/caller.ts';
import { effectsUnder, market, SUBMIT } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const FILLED = 80;
const REJECTED = 10;
const LATE = 10;

describe('a re-run at the venue', () => {
  let service: TestService;
  let trader: Caller;
  before(async () => {
    service = await startService();
    trader = await service.trader();
  });
  after(() => service.stop());

  const order = (more: object) => trader.post('/v1/orders/netvenue', market(more));
  const acceptTooLate = (count: number) =>
    service.db.query(sql.unsafe`
      select accept_intents(jsonb_agg(jsonb_build_object(
        'n', n, 'id', gen_random_uuid(), 'kind', 'network/place', 'owner', 'ptn_a', 'request', '{}'::jsonb, 'digest', '00', 'deadline_s', -1)))
      from generate_series(1, ${count}) n`);
  const states = () =>
    service.db.any(sql.type(z.object({ state: z.string(), count: z.number() }))`
      select i.state, count(*)
      from intents i
      where i.kind = 'network/place'
      group by i.state
      order by i.state`);
  const rows = () => service.db.any(sql.type(z.record(z.string(), z.unknown()))`select * from intents order by id`);
  const jobsOfOrders = () =>
    service.db.exists(
      sql.unsafe`select from ops.jobs where task in (select kind from intent_kinds where venue is not null) and intent_id is not null`,
    );

  it(`has no effect on a finished intent, ${FILLED + REJECTED + LATE} times`, async () => {
    for (let n = 0; n < FILLED; n++) await order({ leverage: 0.01, order_type: n % 2 === 0 ? 'LONG' : 'SHORT' });
    service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: REJECTED });
    for (let n = 0; n < REJECTED; n++) await order({ leverage: 0.01 });
    await acceptTooLate(LATE);
    await until('no job of an order is left', async () => !(await jobsOfOrders()));
    const before_ = { rows: await rows(), ledger: service.miner.ledger.entries().length };

    const verdicts = await service.db.any(sql.type(z.object({ done: z.boolean(), verdict: z.string() }))`
      select r.done, r.verdict
      from intents i
      cross join lateral ops.rerun(i.id, 'ada', 'to see that nothing happens') r
      where i.kind = 'network/place'`);
    await until('no job of an order is left', async () => !(await jobsOfOrders()));

    expect(await states()).to.deep.equal([
      { state: 'expired', count: LATE },
      { state: 'failed', count: REJECTED },
      { state: 'succeeded', count: FILLED },
    ]);
    expect(verdicts).to.have.length(FILLED + REJECTED + LATE);
    expect(verdicts.filter(({ done, verdict }) => done || verdict !== 'finished')).to.deep.equal([]);
    expect(await rows()).to.deep.equal(before_.rows);
    expect(service.miner.ledger.entries()).to.have.length(before_.ledger);
  });

  const rerun = (id: string) =>
    service.db.one(sql.type(z.object({ done: z.boolean(), verdict: z.string(), was_sent: z.boolean() }))`
      select r.done, r.verdict, r.was_sent
      from ops.rerun(${id}, 'ada', 'it hangs') r`);
  const inState = (id: string, state: string) =>
    service.db.exists(sql.unsafe`select from intents where id = ${id} and state = ${state} and sending_at is not null`);

  /** Schedules the next reconciliation of an intent in doubt for much later. False while none is waiting, or a worker still has its last job. */
  const postpone = async (id: string) => {
    const { rowCount } = await service.db.query(sql.unsafe`
      update queue_jobs j
      set run_at = now() + interval '1 hour'
      from ops.jobs o
      join intents i on i.id = o.intent_id
      where j.id = o.job_id and i.id = ${id} and i.state = 'in_doubt' and o.task = i.kind and j.locked_at is null
        and not exists (select from ops.jobs w where w.intent_id = i.id and w.locked_at is not null)`);
    return rowCount === 1;
  };

  it('is rejected while a worker executes it, and in doubt only reconciles', async () => {
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });
    service.miner.faults.add({ kind: 'status_500', route: '/entity/' }); // reconciliations find nothing
    const inDoubtIntent = String(
      (await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' })).body.order_uuid,
    );
    await until('its reconciliation is postponed', () => postpone(inDoubtIntent));
    service.miner.faults.add({ kind: 'hang', route: SUBMIT, times: 1 });
    const held = String((await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' })).body.order_uuid);
    await until('it is at work', () => inState(held, 'running'));

    const whileHeld = await rerun(held);
    const whileInDoubt = await rerun(inDoubtIntent);
    service.miner.faults.clear();
    await until(
      'both have ended',
      async () => !(await service.db.exists(sql.unsafe`select from intents where settled_at is null`)),
    );

    const story = await service.db.any(sql.type(z.object({ line: z.string() }))`
      select s.what || ': ' || s.detail as line
      from ops.history(${inDoubtIntent}) s`);

    expect(whileHeld).to.deep.equal({ done: false, verdict: 'at_work', was_sent: true });
    expect(whileInDoubt).to.deep.equal({ done: true, verdict: 'reconcile_again', was_sent: true });
    expect(story.map(({ line }) => line)).to.include(
      `order: netvenue BTCUSDC, at the venue ${inDoubtIntent}, now filled`,
    );
    expect([effectsUnder(service, inDoubtIntent).length, effectsUnder(service, held).length]).to.deep.equal([1, 0]);
  });
});
