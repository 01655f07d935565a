import { expect } from 'chai';
import { rollUp } from '../../src/capabilities/admin/figures/commands.ts';
import { readQueueHealth } from '../../src/capabilities/admin/queue/queries.ts';
import { readFigures } from '../../src/metrics/queries.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const OF_A_STATE = 101_000;
const COUNTED = 100_000;

describe('figures for metrics and the console, while a receiver has been away for days', function () {
  this.timeout(60_000);
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(`
      insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
      insert into webhook_endpoints (id, owner, url, events, failing_since)
      values ('whe_1', 'app_1', 'https://example.com/away', '{*}', now() - interval '2 days'),
        ('whe_2', 'app_1', 'https://example.com/late', '{*}', null);
      set session_replication_role = replica; -- as many events would prove nothing more
      insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at)
      select 'whd_' || s.state || n, 'app_1', 'whe_1', 'evt_' || s.state || n, s.state, case when s.state = 'failed' then now() end
      from generate_series(1, ${OF_A_STATE}) n
      cross join unnest('{pending,failed}'::text[]) as s (state);
      insert into webhook_deliveries (id, owner, endpoint_id, event_id, due_at)
      values ('whd_late', 'app_1', 'whe_2', 'evt_late', now() - interval '7 minutes');
      analyze`);
  });
  after(() => filled.close());

  it('count as many as they need to know, and show the oldest of each endpoint', async () => {
    const { deliveries } = await readFigures(filled.db, [], { name: 'exchange', burst: 1, perSecond: 1 });
    const shown = await readQueueHealth(filled.db);
    await rollUp({ db: filled.db, config: { EXVENUE_URL: 'exchange', EXVENUE_BUDGET_PER_MINUTE: 1 } });
    const { rows: charted } = await filled.client.query(
      `select distinct label, value from figures where figure = 'deliveries' and value > 0 order by label`,
    );

    expect(deliveries).to.include({ pending: COUNTED, sending: 0, failed: COUNTED });
    expect(deliveries.oldest_due_s).to.be.within(420, 480);
    const counts = Object.fromEntries(shown.deliveries.map(({ state, count }) => [state, count]));
    expect(counts).to.deep.equal({ pending: COUNTED, failed: COUNTED });
    expect(charted).to.deep.equal([
      { label: 'failed', value: COUNTED },
      { label: 'pending', value: COUNTED },
    ]);
  });
});
