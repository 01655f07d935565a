import { expect } from 'chai';
import { type DbPool, openPool, WEB_LIMITS, WORKER_LIMITS } from '../../src/db/pool.ts';
import { acceptance, type NewIntent } from '../../src/intents/accept.ts';
import { claim } from '../../src/intents/claim.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { succeed } from '../../src/intents/settle.ts';
import { type DbSession, type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const SOON_MS = 2_000; // that exits take at most once their venue is back

describe('a lock that somebody holds for long, such as an operator in a transaction of psql', function () {
  this.timeout(20_000);
  let intentDb: IntentDatabase;
  let [web, worker]: [DbPool?, DbPool?] = [];
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    [web, worker] = await Promise.all(
      [WEB_LIMITS, WORKER_LIMITS].map((limits) => openPool(intentDb.url, 5, () => {}, limits)),
    );
    operator = await intentDb.session();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  after(async () => {
    await web?.end();
    await worker?.end();
    await intentDb.close();
  });

  const orderOf = (tenant: string) => item({ owner: `ptn_${tenant}`, lane: `netvenue:${tenant}:BTCUSDC` });

  /** Runs two pieces of work at once while `lock` is held. Returns after how many milliseconds the second was done. */
  async function besideHeld(lock: string, works: (() => Promise<unknown>)[]): Promise<number> {
    await operator.query('begin');
    await operator.query(lock);
    const startedAt = performance.now();
    const [held, free] = works.map((work) => work()) as [Promise<unknown>, Promise<unknown>]; // as: they are two
    held.catch(() => {}); // it may be given up
    await free;
    const tookMs = performance.now() - startedAt;
    await operator.query('rollback');
    await held.catch(() => {});
    return tookMs;
  }

  it('holds up the end of no order of another tenant', async () => {
    const orders = ['a', 'b'].map(orderOf);
    await intentDb.accept(...orders);
    const claims = await Promise.all(orders.map(({ id }) => claim(worker as DbPool, id)));

    const tookMs = await besideHeld(
      `select record_event('ptn_a', 'x', '{}')`,
      claims.map((claimed) => () => succeed(worker as DbPool, claimed as Intent, {})),
    );

    expect(tookMs).to.be.below(SOON_MS);
    expect(await intentDb.row(orders[1]?.id ?? '')).to.include({ state: 'succeeded' });
  });

  it('holds up the acceptance of no order of another tenant', async () => {
    const accept = acceptance(web as DbPool, 'accept_intents');
    await intentDb.accept(orderOf('a'));

    const tookMs = await besideHeld(
      `select from lanes where name = 'netvenue:a:BTCUSDC' for update`,
      ['a', 'b'].map((tenant) => () => accept(orderOf(tenant) as unknown as NewIntent)), // as: ids are texts
    );

    expect(tookMs).to.be.below(SOON_MS);
  });
});
