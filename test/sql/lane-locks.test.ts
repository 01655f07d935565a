import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

describe('a batch of lanes beside a settlement', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('whose endpoints begin to fail does not deadlock with one that emits to their owners, in the order of these', async () => {
    await intentDb.query(`
      insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B');
      insert into webhook_endpoints (id, owner, url, events, lanes) values
        ('whe_1', 'ptn_b', 'https://x', '{*}', 1), ('whe_2', 'ptn_a', 'https://x', '{*}', 1);
      insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, lane, fence, attempts, taken_at)
      select 'whd_' || e.id, e.owner, e.id, (record_event(e.owner, 'x', '{}')).id, 'sending', 0, 1, 1, now()
      from webhook_endpoints e`);
    const said = (endpoint: string) => ({
      ...{
        delivery_id: `whd_${endpoint}`,
        fence: 1,
        ending: 'retry',
        retry_in_s: 60,
        duration_ms: 5,
        error: 'timeout',
      },
    });
    const batch = ['whe_1', 'whe_2'].map((id, n) => ({ n, endpoint_id: id, lane: 0, said: said(id) }));
    const [settling, lanes] = [await intentDb.session(), await intentDb.session()];

    await settling.query('begin');
    await settling.query(`select emit_event('ptn_a', 'order.updated', '{}')`);
    const stepped = lanes.query<{ verdict: string }>('select n, verdict from step_lanes($1) order by n', [
      JSON.stringify(batch),
    ]);
    stepped.catch(() => {}); // read below
    await until('the lanes wait', async () => (await intentDb.query(WAITING)).length > 0);
    await settling.query(`select emit_event('ptn_b', 'order.updated', '{}')`);
    await settling.query('commit');

    expect((await stepped).map(({ verdict }) => verdict)).to.deep.equal(['send', 'send']);
  });

  it('that has ended does not deadlock with one that starts them again, while the queue deletes their jobs together', async () => {
    await intentDb.query(`
      update webhook_deliveries set state = 'delivered', lane = null, ended_at = now();
      delete from queue_jobs;
      update webhook_endpoints set failing_since = null, lanes = 1;
      select enqueue(array(select lane_job(id, 0, null) from webhook_endpoints order by id));
      update queue_jobs set locked_at = now(), locked_by = 'worker'`);
    const jobs = await intentDb.query<{ id: string }>(
      `select id::text from queue_jobs order by payload ->> 'endpoint_id'`,
    );
    const ended = ['whe_1', 'whe_2'].map((id, n) => ({ n, endpoint_id: id, lane: 0 }));
    await intentDb.query('select step_lanes($1)', [JSON.stringify(ended)]);
    const [settling, queue] = [await intentDb.session(), await intentDb.session()];

    await settling.query('begin');
    await settling.query(`select emit_event('ptn_a', 'order.updated', '{}')`);
    const completed = queue.query('delete from queue_jobs j using unnest($1::bigint[]) as n (n) where j.id = n', [
      jobs.map(({ id }) => id),
    ]);
    completed.catch(() => {}); // read below
    await Promise.race([completed, until('the queue waits', async () => (await intentDb.query(WAITING)).length > 0)]);
    await settling.query(`select emit_event('ptn_b', 'order.updated', '{}')`);
    await settling.query('commit');

    await completed;
    expect(await intentDb.query('select key from queue_jobs order by key')).to.have.length(2);
  });
});
