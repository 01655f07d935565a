import { expect } from 'chai';
import { within } from '../../src/kernel/within.ts';
import {
  acceptInTurn,
  type DbSession,
  type IntentDatabase,
  type Item,
  item,
  openIntentDatabase,
  type Row,
} from '../support/intent-database.ts';

/** A wait for a lock never ends by itself. */
const NOT_WAITING_MS = 2_000;

describe('lanes', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, idempotency_keys cascade; delete from queue_jobs'));

  const inLane = (lane: string, more = {}) => item({ lane, ...more });
  const queuedJobs = async () => (await intentDb.jobs()).map(({ intent_id }) => intent_id);

  /** Executes the one job of a lane and returns its intent; fails when more than one is running. */
  async function executeNext(lane: string, ending = 'succeeded'): Promise<string> {
    const [id, ...others] = await queuedJobs();
    expect(others, 'jobs other than the head’s').to.deep.equal([]);
    expect(await intentDb.headOf(lane)).to.equal(id);
    const held = (await intentDb.claim(String(id))) as Row;
    await intentDb.beginSending(held.id, held.fence);
    await intentDb.settle(held.id, held.fence, ending);
    await intentDb.finishJobs(held.id);
    return held.id;
  }

  async function drain(lane: string): Promise<string[]> {
    const done: string[] = [];
    while ((await queuedJobs()).length > 0) done.push(await executeNext(lane));
    return done;
  }

  it('have a job for their head only', async () => {
    const [first, second, alone] = [inLane('a'), inLane('a'), inLane('b')];
    await intentDb.accept(first, second, alone);

    expect(await queuedJobs()).to.have.members([first.id, alone.id]);
    expect(await intentDb.headOf('a')).to.equal(first.id);
  });

  it('keep the order of a batch, and of batches', async () => {
    const items = Array.from({ length: 6 }, () => inLane('a'));
    await intentDb.accept(...items.slice(0, 4));
    await intentDb.accept(...items.slice(4));

    expect(await drain('a')).to.deep.equal(items.map(({ id }) => id));
    expect(await intentDb.headOf('a')).to.equal(null);
  });

  for (const ending of ['succeeded', 'failed', 'expired']) {
    it(`continue when their head has ${ending}`, async () => {
      const [first, second] = [inLane('a'), inLane('a')];
      await intentDb.accept(first, second);

      await executeNext('a', ending);

      expect(await queuedJobs()).to.deep.equal([second.id]);
      expect(await intentDb.headOf('a')).to.equal(second.id);
    });
  }

  it('continue when the deadline of their head has passed', async () => {
    const [late, second] = [inLane('a', { deadline_s: 0 }), inLane('a')];
    await intentDb.accept(late, second);

    await intentDb.claim(late.id);

    expect(await queuedJobs()).to.have.members([late.id, second.id]);
    expect(await intentDb.headOf('a')).to.equal(second.id);
  });

  it('continue when their head is in doubt, and only once', async () => {
    const [first, second, third] = [inLane('a'), inLane('a'), inLane('a')];
    await intentDb.accept(first, second, third);
    const { fence } = (await intentDb.claim(first.id)) as Row;
    await intentDb.beginSending(first.id, fence);

    await intentDb.markInDoubt(first.id, fence);
    await intentDb.markInDoubt(first.id, fence);
    await intentDb.settle(first.id, fence);

    expect(await intentDb.headOf('a')).to.equal(second.id);
    expect((await queuedJobs()).filter((id) => id !== first.id)).to.deep.equal([second.id]);
  });

  it('wait while their head is to be retried', async () => {
    const [first, second] = [inLane('a'), inLane('a')];
    await intentDb.accept(first, second);
    const { fence } = (await intentDb.claim(first.id)) as Row;

    await intentDb.retry(first.id, fence, 30);

    expect(await intentDb.headOf('a')).to.equal(first.id);
    expect(await queuedJobs()).not.to.include(second.id);
  });

  it('start again after they were empty', async () => {
    await intentDb.accept(inLane('a'));
    await executeNext('a');
    const later = inLane('a');
    await intentDb.accept(later);

    expect(await queuedJobs()).to.deep.equal([later.id]);
  });

  it('execute 200 intents accepted at once over many connections, one at a time, each connection’s in its own order', async () => {
    const hands = await Promise.all(Array.from({ length: 8 }, () => intentDb.session()));
    const shares = hands.map(() => Array.from({ length: 25 }, () => inLane('a')));
    await Promise.all(hands.map((session, n) => acceptInTurn(session, shares[n] ?? [])));

    const done = await drain('a');

    expect(done).to.have.length(200);
    for (const share of shares) {
      const fixture = share.map(({ id }) => id);
      expect(done.filter((id) => fixture.includes(id))).to.deep.equal(fixture);
    }
  });

  it('settle and accept concurrently without losing an intent', async () => {
    const [accepting, settling] = [await intentDb.session(), await intentDb.session()];
    const items = Array.from({ length: 100 }, () => inLane('a'));
    const done: string[] = [];
    const settleAll = async () => {
      while (done.length < items.length) {
        for (const id of await queuedJobs()) {
          const held = await settling.claim(id);
          if (held && (await settling.settle(id, held.fence))) done.push(id);
          await intentDb.finishJobs(id);
        }
      }
    };

    await Promise.all([acceptInTurn(accepting, items), settleAll()]);

    expect(done).to.deep.equal(items.map(({ id }) => id));
    expect(await intentDb.headOf('a')).to.equal(null);
  });

  it('do not deadlock when batches list their lanes in any order', async () => {
    const hands = await Promise.all(Array.from({ length: 8 }, () => intentDb.session()));
    const names = Array.from({ length: 20 }, (_, n) => `lane ${n}`);
    const shuffled = () => [...names].sort(() => Math.random() - 0.5).map((lane) => inLane(lane));

    const acceptMany = async (session: DbSession) => {
      for (let batch = 0; batch < 10; batch += 1) await session.accept(...shuffled());
    };
    await Promise.all(hands.map(acceptMany));

    const [counted] = await intentDb.query<{ intents: string }>('select count(*) as intents from intents');
    expect(counted?.intents).to.equal('1600');
    expect(await queuedJobs()).to.have.length(names.length);
  });

  describe('of 5,000 traders', () => {
    const TRADERS = 5_000;
    const ordered = (n: number): Item =>
      item({ lane: `netvenue:e_${n}:BTCUSDC`, trader: `e_${n}`, pair: 'BTCUSDC', terms: {} });

    beforeEach(async () => {
      await intentDb.query('delete from orders');
      await intentDb.query('delete from subaccounts');
      await intentDb.query(`
        insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
        select 'e_' || n, 'e', n, 'ptn_a', gen_random_uuid(), 'crypto', 10000, 'active'
        from generate_series(1, ${TRADERS}) n`);
      await acceptOrders(Array.from({ length: TRADERS }, (_, n) => ordered(n + 1)));
    });

    const acceptOrders = (items: Item[]) =>
      intentDb.query<{ verdict: string }>('select verdict from accept_network_orders($1)', [
        JSON.stringify(items.map((one, n) => ({ ...one, n }))),
      ]);

    it('do not wait for one another', async () => {
      const blocked = await intentDb.session();
      await blocked.query('begin');
      await blocked.query(`select from lanes where name = 'netvenue:e_1:BTCUSDC' for update`);

      const verdicts = await within(acceptOrders([ordered(2)]), NOT_WAITING_MS);
      const head = await intentDb.headOf('netvenue:e_3:BTCUSDC');
      const held = (await intentDb.claim(String(head))) as Row;
      const settled = await within(intentDb.settle(held.id, held.fence), NOT_WAITING_MS);
      await blocked.query('rollback');

      expect(verdicts).to.deep.equal([{ verdict: 'accepted' }]);
      expect(settled).to.equal(true);
    });

    it('are accepted, claimed and settled', async () => {
      const settled: boolean[] = [];

      for (let n = 1; n <= 20; n += 1) {
        await acceptOrders([ordered(n)]);
        const held = (await intentDb.claim(String(await intentDb.headOf(`netvenue:e_${n}:BTCUSDC`)))) as Row;
        await intentDb.beginSending(held.id, held.fence);
        settled.push(await intentDb.settle(held.id, held.fence));
      }

      expect(settled).to.deep.equal(Array(20).fill(true));
    });
  });
});
