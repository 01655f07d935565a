import { expect } from 'chai';
import { acceptInTurn, type Hand, type Item, item, openSpine, type Row, type Spine } from '../support/spine.ts';

describe('lanes', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
  });
  after(() => spine.close());
  beforeEach(() => spine.query('truncate intents, lanes, idempotency_keys cascade; delete from queue_jobs'));

  const inLane = (lane: string, more = {}) => item({ lane, ...more });
  const queuedJobs = async () => (await spine.jobs()).map(({ intent_id }) => intent_id);

  /** Executes the one job of a lane and returns its intent; fails when more than one is running. */
  async function executeNext(lane: string, ending = 'succeeded'): Promise<string> {
    const [id, ...others] = await queuedJobs();
    expect(others, 'jobs other than the head’s').to.deep.equal([]);
    expect(await spine.headOf(lane)).to.equal(id);
    const held = (await spine.claim(String(id))) as Row;
    await spine.beginSending(held.id, held.fence);
    await spine.settle(held.id, held.fence, ending);
    await spine.finishJobs(held.id);
    return held.id;
  }

  async function drain(lane: string): Promise<string[]> {
    const done: string[] = [];
    while ((await queuedJobs()).length > 0) done.push(await executeNext(lane));
    return done;
  }

  it('have a job for their head only', async () => {
    const [first, second, alone] = [inLane('a'), inLane('a'), inLane('b')];
    await spine.accept(first, second, alone);

    expect(await queuedJobs()).to.have.members([first.id, alone.id]);
    expect(await spine.headOf('a')).to.equal(first.id);
  });

  it('keep the order of a batch, and of batches', async () => {
    const items = Array.from({ length: 6 }, () => inLane('a'));
    await spine.accept(...items.slice(0, 4));
    await spine.accept(...items.slice(4));

    expect(await drain('a')).to.deep.equal(items.map(({ id }) => id));
    expect(await spine.headOf('a')).to.equal(null);
  });

  for (const ending of ['succeeded', 'failed', 'expired']) {
    it(`continue when their head has ${ending}`, async () => {
      const [first, second] = [inLane('a'), inLane('a')];
      await spine.accept(first, second);

      await executeNext('a', ending);

      expect(await queuedJobs()).to.deep.equal([second.id]);
      expect(await spine.headOf('a')).to.equal(second.id);
    });
  }

  it('continue when the deadline of their head has passed', async () => {
    const [late, second] = [inLane('a', { deadline_s: 0 }), inLane('a')];
    await spine.accept(late, second);

    await spine.claim(late.id);

    expect(await queuedJobs()).to.have.members([late.id, second.id]);
    expect(await spine.headOf('a')).to.equal(second.id);
  });

  it('continue when their head is in doubt, and only once', async () => {
    const [first, second, third] = [inLane('a'), inLane('a'), inLane('a')];
    await spine.accept(first, second, third);
    const { fence } = (await spine.claim(first.id)) as Row;
    await spine.beginSending(first.id, fence);

    await spine.markInDoubt(first.id, fence);
    await spine.markInDoubt(first.id, fence);
    await spine.settle(first.id, fence);

    expect(await spine.headOf('a')).to.equal(second.id);
    expect((await queuedJobs()).filter((id) => id !== first.id)).to.deep.equal([second.id]);
  });

  it('wait while their head is to be retried', async () => {
    const [first, second] = [inLane('a'), inLane('a')];
    await spine.accept(first, second);
    const { fence } = (await spine.claim(first.id)) as Row;

    await spine.retry(first.id, fence, 30);

    expect(await spine.headOf('a')).to.equal(first.id);
    expect(await queuedJobs()).not.to.include(second.id);
  });

  it('start again after they were empty', async () => {
    await spine.accept(inLane('a'));
    await executeNext('a');
    const later = inLane('a');
    await spine.accept(later);

    expect(await queuedJobs()).to.deep.equal([later.id]);
  });

  it('execute 200 intents accepted at once over many connections, one at a time, each connection’s in its own order', async () => {
    const hands = await Promise.all(Array.from({ length: 8 }, () => spine.hand()));
    const shares = hands.map(() => Array.from({ length: 25 }, () => inLane('a')));
    await Promise.all(hands.map((hand, n) => acceptInTurn(hand, shares[n] ?? [])));

    const done = await drain('a');

    expect(done).to.have.length(200);
    for (const share of shares) {
      const fixture = share.map(({ id }) => id);
      expect(done.filter((id) => fixture.includes(id))).to.deep.equal(fixture);
    }
  });

  it('settle and accept concurrently without losing an intent', async () => {
    const [accepting, settling] = [await spine.hand(), await spine.hand()];
    const items = Array.from({ length: 100 }, () => inLane('a'));
    const done: string[] = [];
    const settleAll = async () => {
      while (done.length < items.length) {
        for (const id of await queuedJobs()) {
          const held = await settling.claim(id);
          if (held && (await settling.settle(id, held.fence))) done.push(id);
          await spine.finishJobs(id);
        }
      }
    };

    await Promise.all([acceptInTurn(accepting, items), settleAll()]);

    expect(done).to.deep.equal(items.map(({ id }) => id));
    expect(await spine.headOf('a')).to.equal(null);
  });

  it('do not deadlock when batches list their lanes in any order', async () => {
    const hands = await Promise.all(Array.from({ length: 8 }, () => spine.hand()));
    const names = Array.from({ length: 20 }, (_, n) => `lane ${n}`);
    const shuffled = () => [...names].sort(() => Math.random() - 0.5).map((lane) => inLane(lane));

    const acceptMany = async (hand: Hand) => {
      for (let batch = 0; batch < 10; batch += 1) await hand.accept(...shuffled());
    };
    await Promise.all(hands.map(acceptMany));

    const [counted] = await spine.query<{ intents: string }>('select count(*) as intents from intents');
    expect(counted?.intents).to.equal('1600');
    expect(await queuedJobs()).to.have.length(names.length);
  });

  describe('of 5,000 traders', () => {
    const TRADERS = 5_000;
    const ordered = (n: number): Item =>
      item({ lane: `netvenue:e_${n}:BTCUSDC`, trader: `e_${n}`, pair: 'BTCUSDC', terms: {} });

    beforeEach(async () => {
      await spine.query('delete from orders');
      await spine.query('delete from subaccounts');
      await spine.query(`
        insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
        select 'e_' || n, 'e', n, 'ptn_a', gen_random_uuid(), 'crypto', 10000, 'active'
        from generate_series(1, ${TRADERS}) n`);
      await acceptOrders(Array.from({ length: TRADERS }, (_, n) => ordered(n + 1)));
    });

    const acceptOrders = (items: Item[]) =>
      spine.query<{ verdict: string }>('select verdict from accept_network_orders($1)', [
        JSON.stringify(items.map((one, n) => ({ ...one, n }))),
      ]);

    it('do not wait for one another', async () => {
      const blocked = await spine.hand();
      await blocked.query('begin');
      await blocked.query(`select from lanes where name = 'netvenue:e_1:BTCUSDC' for update`);

      const verdicts = await within(2_000, acceptOrders([ordered(2)]));
      const head = await spine.headOf('netvenue:e_3:BTCUSDC');
      const held = (await spine.claim(String(head))) as Row;
      const settled = await within(2_000, spine.settle(held.id, held.fence));
      await blocked.query('rollback');

      expect(verdicts).to.deep.equal([{ verdict: 'accepted' }]);
      expect(settled).to.equal(true);
    });

    it('are accepted, claimed and settled', async () => {
      const settled: boolean[] = [];

      for (let n = 1; n <= 20; n += 1) {
        await acceptOrders([ordered(n)]);
        const held = (await spine.claim(String(await spine.headOf(`netvenue:e_${n}:BTCUSDC`)))) as Row;
        await spine.beginSending(held.id, held.fence);
        settled.push(await spine.settle(held.id, held.fence));
      }

      expect(settled).to.deep.equal(Array(20).fill(true));
    });
  });

  /** Fails when the work takes longer, because a wait for a lock never ends by itself. */
  function within<T>(ms: number, work: Promise<T>): Promise<T> {
    const tooLong = new Promise<never>((_, reject) => setTimeout(reject, ms, new Error(`took over ${ms} ms`)).unref());
    return Promise.race([work, tooLong]);
  }
});
