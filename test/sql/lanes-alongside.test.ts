import { expect } from 'chai';
import {
  acceptInTurn,
  type IntentDatabase,
  item,
  openIntentDatabase,
  type Row,
  WAITING,
} from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

describe('lanes with intents that may run alongside', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, idempotency_keys cascade; delete from queue_jobs'));

  const inLane = (lane: string, more = {}) => item({ lane, ...more });
  const queuedJobs = async () => (await intentDb.jobs()).map(({ intent_id }) => intent_id);
  const beside = (alongside: string) => inLane('a', { alongside });
  const end = async (id: string, how: 'settle' | 'doubt' = 'settle') => {
    const { fence } = (await intentDb.claim(id)) as Row;
    await intentDb.beginSending(id, fence);
    await (how === 'settle' ? intentDb.settle(id, fence) : intentDb.markInDoubt(id, fence));
    await intentDb.finishJobs(id);
  };

  it('give a job to each of the first eight at once, and to the next as one ends', async () => {
    const items = Array.from({ length: 10 }, () => beside('BTC long'));
    await intentDb.accept(...items.slice(0, 3));
    await intentDb.accept(...items.slice(3));
    const ids = items.map(({ id }) => id);

    const first = await queuedJobs();
    await end(ids[4] as string);
    await end(ids[0] as string, 'doubt');

    expect(first).to.deep.equal(ids.slice(0, 8));
    expect(await queuedJobs()).to.have.members([...ids.slice(1, 4), ...ids.slice(5, 10)]);
  });

  it('pass over one that an operator holds, who is about to lock the lane', async () => {
    const [alone, next, held] = [inLane('a'), beside('BTC long'), beside('ETH long')];
    await intentDb.accept(alone, next, held);
    const operator = await intentDb.session();

    await operator.query('begin');
    await operator.query('select from intents where id = $1 for update', [held.id]);
    await intentDb.query(`set lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
    await end(alone.id).finally(() => intentDb.query('reset lock_timeout'));
    await operator.query('rollback');

    expect(await queuedJobs()).to.deep.equal([next.id]);
  });

  it('are independent of what runs or waits in other lanes', async () => {
    const running = ['ETH long', 'BTC short'].map((alongside) => inLane('b', { alongside }));
    const [alone, behind] = [inLane('c'), inLane('c')];
    await intentDb.accept(...running, alone, behind);
    const [first, second] = [beside('ETH short'), beside('BTC long')];

    await acceptInTurn(intentDb, [first, second]);

    expect(await queuedJobs()).to.have.members([...running, alone, first, second].map(({ id }) => id));
    const heads = await Promise.all(['a', 'b', 'c'].map(intentDb.headOf));
    expect(heads).to.deep.equal([first, running[0], alone].map((one) => one?.id));
  });

  it('stay unchanged when an intent that was in doubt ends: the head has its job', async () => {
    const [doubtful, head] = [inLane('a'), inLane('a')];
    await intentDb.accept(doubtful, head);
    await end(doubtful.id, 'doubt');
    const before = await queuedJobs();

    await intentDb.settle(doubtful.id, 1);

    expect(before).to.deep.equal([head.id]);
    expect(await queuedJobs()).to.deep.equal(before);
    expect(await intentDb.headOf('a')).to.equal(head.id);
  });

  it('let one that runs alone wait for all before it, and all behind it wait for it', async () => {
    const [one, two, alone, later] = [beside('BTC long'), beside('ETH short'), inLane('a'), beside('BTC long')];
    await intentDb.accept(one, two, alone, later);

    const before = await queuedJobs();
    await end(one.id);
    const between = await queuedJobs();
    await end(two.id, 'doubt');
    const turn = await queuedJobs();
    await end(alone.id);

    expect([before, between, turn]).to.deep.equal([[one.id, two.id], [two.id], [alone.id]]);
    expect(await queuedJobs()).to.deep.equal([later.id]);
  });

  it('let the other side of a pair wait, and what is behind it', async () => {
    const [long, short, other] = [beside('BTC long'), beside('BTC short'), beside('ETH long')];
    await intentDb.accept(long, short, other);

    const before = await queuedJobs();
    await end(long.id);

    expect(before).to.deep.equal([long.id]);
    expect(await queuedJobs()).to.deep.equal([short.id, other.id]);
  });

  it('keep the place of one that is to be retried', async () => {
    const [one, two, alone] = [beside('BTC long'), beside('BTC long'), inLane('a')];
    await intentDb.accept(one, two, alone);
    const { fence } = (await intentDb.claim(two.id)) as Row;

    await intentDb.retry(two.id, fence, 30);
    await end(one.id);

    expect(await queuedJobs()).to.not.include(alone.id);
    await end(two.id);
    expect(await queuedJobs()).to.deep.equal([alone.id]);
  });

  it('go on when two that ran alongside end at once', async () => {
    const [one, two, alone] = [beside('BTC long'), beside('BTC long'), inLane('a')];
    await intentDb.accept(one, two, alone);
    const [first, second] = [(await intentDb.claim(one.id)) as Row, (await intentDb.claim(two.id)) as Row];
    for (const { id } of [one, two]) await intentDb.finishJobs(id);
    const [session, other] = [await intentDb.session(), await intentDb.session()];
    await session.query('begin');
    await session.settle(one.id, first.fence);

    const ended = other.settle(two.id, second.fence);
    await Promise.race([
      ended,
      until('the other one waits', async () => (await intentDb.query(WAITING)).length > 0 || null),
    ]);
    await session.query('commit');
    await ended;

    expect(await queuedJobs()).to.deep.equal([alone.id]);
  });

  it('execute every intent once, none beside one that it depends on, while others are accepted', async () => {
    const kinds = ['BTC long', 'BTC short', 'ETH long', 'ETH short', undefined];
    const items = Array.from({ length: 120 }, (_, n) =>
      inLane('a', n % 9 === 4 ? {} : { alongside: kinds[Math.floor(n / 7) % 4] }),
    );
    const tokens = new Map(items.map(({ id, alongside }) => [id, alongside as string | undefined]));
    const depends = (a: string, b: string) => {
      const [one, other] = [tokens.get(a), tokens.get(b)];
      return !one || !other || (one !== other && one.split(' ')[0] === other.split(' ')[0]);
    };
    const [accepting, working] = [await intentDb.session(), await intentDb.session()];
    const done: string[] = [];
    const work = async () => {
      for (let n = 0; done.length < items.length; n += 1) {
        const atWork = await queuedJobs();
        for (const id of atWork) for (const id2 of atWork) if (id < id2) expect(depends(id, id2)).to.equal(false);
        const id = atWork[n % Math.max(1, atWork.length)];
        const held = id === undefined ? null : await working.claim(id);
        if (!held) continue;
        await working.beginSending(held.id, held.fence);
        if (n % 3 === 0) await working.markInDoubt(held.id, held.fence);
        else await working.settle(held.id, held.fence);
        await intentDb.finishJobs(held.id);
        done.push(held.id);
      }
    };

    await Promise.all([acceptInTurn(accepting, items), work()]);

    const order = new Map(done.map((id, n) => [id, n]));
    expect(order.size).to.equal(items.length);
    for (const [n, { id }] of items.entries())
      for (const later of items.slice(n + 1))
        if (depends(id, later.id)) expect(order.get(id)).to.be.lessThan(order.get(later.id) as number);
    expect(await intentDb.headOf('a')).to.equal(null);
  });
});
