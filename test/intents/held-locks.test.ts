import { expect } from 'chai';
import { sql } from 'slonik';
import { type DbPool, openPool, WEB_LIMITS, WORKER_LIMITS } from '../../src/db/pool.ts';
import { acceptance, type NewIntent } from '../../src/intents/accept.ts';
import { beginSending, claim, type SlotWanted } from '../../src/intents/claim.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { succeed } from '../../src/intents/settle.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { type DbSession, type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';

const SOON_MS = 2_000; // that exits take at most once their venue is back
const CONNECTIONS = 10; // of a web process, by default
const MANY = 60;

describe('a lock that somebody holds for long, such as an operator in a transaction of psql', function () {
  this.timeout(20_000);
  let intentDb: IntentDatabase;
  let [web, worker]: [DbPool?, DbPool?] = [];
  let operator: DbSession;
  before(async () => {
    intentDb = await openIntentDatabase();
    [web, worker] = await Promise.all(
      [WEB_LIMITS, WORKER_LIMITS].map((limits) => openPool(intentDb.url, CONNECTIONS, () => {}, limits)),
    );
    operator = await intentDb.session();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  after(async () => {
    await web?.end();
    await worker?.end();
    await intentDb.close();
  });

  const by = (owner: unknown, work: () => Promise<unknown>) => workingOn({ tenant: String(owner) }, work);
  const orderOf = (tenant: string) => item({ owner: `ptn_${tenant}`, lane: `netvenue:${tenant}:BTCUSDC` });

  const slotOf = (trader = ''): SlotWanted => ({
    ...{ upstream: 'miner:x', slots: 4, forExits: 0, isExit: false, holdMs: 30_000 },
    pace: { name: trader, perMinute: 10, forExits: 0 },
  });

  /** Runs pieces of work at once while `lock` is held. Returns after how many milliseconds the last of them was done. */
  async function besideHeld(lock: string, works: (() => Promise<unknown>)[]): Promise<number> {
    await operator.query('begin');
    await operator.query(lock);
    const startedAt = performance.now();
    const begun = works.map((work) => work());
    const held = Promise.allSettled(begun.slice(0, -1)); // they may be given up
    const isDone = await begun.at(-1)?.then(
      () => true,
      () => false,
    );
    const tookMs = performance.now() - startedAt;
    await operator.query('rollback');
    await held;
    return isDone ? tookMs : Number.POSITIVE_INFINITY;
  }

  /** Orders of one tenant, each of a trader of its own, and then one of another. */
  const manyOrders = () => [
    ...Array.from({ length: MANY }, (_, n) => item({ owner: 'ptn_a', lane: `netvenue:a${n}:BTCUSDC` })),
    orderOf('b'),
  ];

  it('delays no statement of another tenant, however many single statements wait for it', async () => {
    const write = () => (web as DbPool).query(sql.unsafe`select record_event('ptn_a', 'x', '{}')`);

    const tookMs = await besideHeld(`select record_event('ptn_a', 'x', '{}')`, [
      ...Array.from({ length: MANY }, () => () => by('ptn_a', write)),
      () => by('ptn_b', () => (web as DbPool).query(sql.unsafe`select 1`)),
    ]);

    expect(tookMs).to.be.below(SOON_MS / 4);
  });

  it('does not delay the end of an order of another tenant', async () => {
    const orders = ['a', 'b'].map(orderOf);
    await intentDb.accept(...orders);
    const claims = await Promise.all(orders.map(({ id }) => claim(worker as DbPool, { id, kind: 'network/place' })));

    const tookMs = await besideHeld(
      `select record_event('ptn_a', 'x', '{}')`,
      claims.map((claimed) => () => succeed(worker as DbPool, claimed as Intent, {})),
    );

    expect(tookMs).to.be.below(SOON_MS);
    expect(await intentDb.row(orders[1]?.id ?? '')).to.include({ state: 'succeeded' });
  });

  it('does not delay the acceptance of an order of another tenant', async () => {
    const accept = acceptance(web as DbPool, 'accept_intents');
    await intentDb.accept(orderOf('a'));

    const tookMs = await besideHeld(
      `select from lanes where name = 'netvenue:a:BTCUSDC' for update`,
      ['a', 'b'].map((tenant) => () => accept(orderOf(tenant) as unknown as NewIntent)), // as: ids are texts
    );

    expect(tookMs).to.be.below(SOON_MS);
  });

  it('does not delay endings of another tenant, however many wait for it', async () => {
    const orders = manyOrders();
    await intentDb.accept(...orders);
    const claims = await Promise.all(orders.map(({ id }) => claim(worker as DbPool, { id, kind: 'network/place' })));

    const tookMs = await besideHeld(
      `select record_event('ptn_a', 'x', '{}')`,
      claims.map((claimed) => () => by(claimed?.owner, () => succeed(worker as DbPool, claimed as Intent, {}))),
    );

    expect(tookMs).to.be.below(SOON_MS);
  });

  it('does not delay acceptances of another tenant, and takes at most half of the connections, however many wait for it', async () => {
    const accept = acceptance(web as DbPool, 'accept_intents');
    const waiting: number[] = [];
    const counting = setInterval(async () => waiting.push((await intentDb.query(WAITING)).length), 100);
    await intentDb.accept(...Array.from({ length: MANY }, () => orderOf('a')));

    const tookMs = await besideHeld(
      `select from lanes where name = 'netvenue:a:BTCUSDC' for update`,
      [...Array.from({ length: MANY }, () => orderOf('a')), orderOf('b')].map(
        (order) => () => by(order.owner, () => accept(order as unknown as NewIntent)), // as: ids are texts
      ),
    );

    clearInterval(counting);
    expect(tookMs).to.be.below(SOON_MS);
    expect(Math.max(...waiting)).to.be.within(1, CONNECTIONS / 2);
  });

  it('does not delay the sending of another tenant, also if it is the lock of a pace', async () => {
    const orders = ['a', 'b'].map(orderOf);
    await intentDb.accept(...orders);
    const claims = await Promise.all(orders.map(({ id }) => claim(worker as DbPool, { id, kind: 'network/place' })));

    const tookMs = await besideHeld(
      `select pg_advisory_xact_lock(hashtextextended('pace a', 0))`,
      claims.map(
        (claimed, n) => () => beginSending(worker as DbPool, claimed as Intent, {}, { slot: slotOf('ab'[n]) }),
      ),
    );

    expect(tookMs).to.be.below(SOON_MS);
    expect(await intentDb.row(orders[1]?.id ?? '')).to.include({ state: 'running' });
  });
});
