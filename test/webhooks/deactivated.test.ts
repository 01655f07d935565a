import { expect } from 'chai';
import { sweepLanes } from '../../src/capabilities/webhooks/sweep.ts';
import { openPool } from '../../src/db/pool.ts';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';

const WAITING = 2_500;
const AT_ONCE = 1_000;

describe('an endpoint that is deactivated while many deliveries wait for it', () => {
  let d: Deliveries;
  before(async () => {
    d = await openDeliveries();
  });
  after(() => d.stop());

  const count = async (state: string) =>
    Number(
      (await d.rows<{ n: string }>(`select count(*) as n from webhook_deliveries where state = '${state}'`))[0]?.n,
    );

  it('cancels no more of them in that statement, which other endpoints share, than it can bear, and the rest in sweeps', async () => {
    const app = await d.app();
    const { id } = await d.endpoint(app, 'https://example.com/away');
    await d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id, due_at)
       select sortable_id('whd'), '${app}', '${id}', v.id, now() - interval '2 minutes'
       from record_events('${app}', 'user.created', array(select '{}'::jsonb from generate_series(1, ${WAITING}))) v`,
    );
    const warnings: unknown[] = [];

    await d.rows(`select deactivate_endpoint('${id}', 'failing')`);
    const atOnce = await count('cancelled');
    const db = await openPool(d.settings.DATABASE_URL ?? '', 1, () => {});
    const log = { warn: (line: unknown) => void warnings.push(line) };
    await sweepLanes({ db, log, stopping: new AbortController().signal });
    await db.end();

    expect(atOnce).to.equal(AT_ONCE);
    expect([await count('pending'), await count('cancelled')]).to.deep.equal([0, WAITING]);
    expect(warnings, 'no lane was lost').to.deep.equal([]);
  });
});
