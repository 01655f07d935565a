import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client } from 'pg';
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

  const waitsFor = async (many: number): Promise<string> => {
    const app = await d.app();
    const { id } = await d.endpoint(app, 'https://example.com/away');
    await d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id)
       select sortable_id('whd'), '${app}', '${id}', v.id
       from record_events('${app}', 'user.created', array(select '{}'::jsonb from generate_series(1, ${many}))) v`,
    );
    return id;
  };
  const left = async (endpoint: string) =>
    (await d.rows(`select from webhook_deliveries where endpoint_id = $1 and state = 'pending'`, [endpoint])).length;

  it('leaves what waits for other endpoints, and what another transaction holds', async () => {
    const [ended, other] = [await waitsFor(3), await waitsFor(3)];
    await d.rows(`select deactivate_endpoint('${ended}', 'asked')`);
    expect([await left(ended), await left(other)]).to.deep.equal([0, 3]);

    await holding(`select from webhook_deliveries where endpoint_id = '${other}' limit 1 for update`, () =>
      d.rows(`select deactivate_endpoint('${other}', 'asked')`),
    );

    expect(await left(other)).to.equal(1);
  });

  it('is swept with others, as many deliveries as a batch has in all, however long one of them is held', async () => {
    await d.rows(`update webhook_deliveries set state = 'cancelled', ended_at = now() where state = 'pending'`);
    const ids = [await waitsFor(2), await waitsFor(2), await waitsFor(2)];
    await d.rows(`update webhook_endpoints set active = false, deactivated_because = 'asked' where id = any($1)`, [
      ids,
    ]);

    const [first] = await d.rows('select cancel_unreceived(3) as taken');
    const half = ids[(await Promise.all(ids.map(left))).indexOf(1)] ?? '';
    await holding(`select from webhook_endpoints where id = '${half}' for update`, () =>
      d.rows('select cancel_unreceived(3)'),
    );

    expect(first).to.deep.equal({ taken: 3 });
    expect(await Promise.all(ids.map(left))).to.deep.equal(ids.map((id) => (id === half ? 1 : 0)));
  });

  /** Does something while another transaction has locked rows, for which it must not wait. */
  async function holding(locked: string, act: () => Promise<unknown>): Promise<void> {
    const holder = new Client({ connectionString: d.settings.DATABASE_URL });
    await holder.connect();
    await holder.query(`begin; ${locked}`);
    const acting = act();
    const first = await Promise.race([acting, sleep(5_000, 'waits')]);
    await holder.query('commit');
    await holder.end();
    await acting;
    expect(first).not.to.equal('waits');
  }
});
