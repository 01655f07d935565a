import { expect } from 'chai';
import { type IntentDatabase, type Item, item, openIntentDatabase, type Row } from '../support/intent-database.ts';

const WALLET = 'exvenue:0x1';
const [MINE, OTHERS] = [{ owner: 'ptn_a' }, { owner: 'ptn_b' }];
const EXIT = { kind: 'exchange/cancel' };

describe('a lane of the exchange that two owners share', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, idempotency_keys, pauses cascade; delete from queue_jobs'));

  const verb = (more: object, lane = WALLET) => item({ lane, kind: 'exchange/place', ...more });
  const withJobs = async () => (await intentDb.jobs()).map(({ intent_id }) => intent_id);
  const idsOf = (items: Item[]) => items.map(({ id }) => id);
  const behindOf = async ({ id }: Item) =>
    (
      await intentDb.query<{ behind: string | null }>(
        'select ops.waits_behind(i) as behind from intents i where id = $1',
        [id],
      )
    )[0]?.behind;

  async function end(id: string, how: 'settle' | 'doubt' | 'expire' = 'settle') {
    const { fence } = (await intentDb.claim(id)) as Row;
    if (how === 'expire') await intentDb.settle(id, fence, 'expired');
    else await intentDb.beginSending(id, fence);
    if (how === 'settle') await intentDb.settle(id, fence);
    if (how === 'doubt') await intentDb.markInDoubt(id, fence);
    await intentDb.finishJobs(id);
  }

  for (const [how, accept] of [
    ['in one batch', (items: Item[]) => intentDb.accept(...items)],
    ['one by one', async (items: Item[]) => Promise.all(items.map((one) => intentDb.accept(one)))],
    ['with an item that is repeated', (items: Item[]) => intentDb.accept(...items, ...items.slice(-1))],
  ] as [string, (items: Item[]) => Promise<unknown>][])
    it(`has no verb of one wait for those of the other that were accepted before it, ${how}`, async () => {
      const theirs = Array.from({ length: 20 }, (_, n) => verb({ ...OTHERS, ...(n % 2 && EXIT) }));
      const [exit, next] = [verb({ ...MINE, ...EXIT }), verb({ ...MINE, ...EXIT })];
      await intentDb.accept(...theirs);

      await accept([exit, next]);

      expect(await withJobs()).to.deep.equal([theirs[0]?.id, exit.id]);
      expect([await behindOf(exit), await behindOf(next)]).to.deep.equal([null, exit.id]);
      await end(exit.id);
      expect(await withJobs()).to.deep.equal([theirs[0]?.id, next.id]);
    });

  it('passes its head on when an owner has nothing left, and then lets both go on', async () => {
    const [first, second, theirs, last] = [verb(MINE), verb(MINE), verb(OTHERS), verb(OTHERS)];
    await intentDb.accept(first, second, theirs, last);
    const heads = [await intentDb.headOf(WALLET)];
    const jobs = [await withJobs()];

    for (const [id, how] of [
      [first.id, 'doubt'],
      [second.id, 'expire'],
      [theirs.id, 'settle'],
    ] as const) {
      await end(id, how);
      heads.push(await intentDb.headOf(WALLET));
      jobs.push(await withJobs());
    }
    await end(last.id);

    expect(jobs.map((ids) => ids.toSorted())).to.deep.equal(
      [[first.id, theirs.id], [second.id, theirs.id], [theirs.id], [last.id]].map((ids) => ids.toSorted()),
    );
    expect(heads).to.deep.equal([first.id, second.id, theirs.id, last.id]);
    expect(await intentDb.headOf(WALLET)).to.equal(null);
  });

  it('gives each eight turns at once', async () => {
    const of = (owner: object) => Array.from({ length: 10 }, () => verb({ ...owner, alongside: 'BTC-USDC long' }));
    const [mine, theirs] = [of(MINE), of(OTHERS)];

    await intentDb.accept(...theirs, ...mine);

    expect(await withJobs()).to.have.members([...idsOf(theirs.slice(0, 8)), ...idsOf(mine.slice(0, 8))]);
    await end(String(theirs[3]?.id));
    await end(String(mine[0]?.id));
    expect(await withJobs()).to.include.members([theirs[8]?.id, mine[8]?.id]);
  });

  it('lets go on what waited behind another owner’s before owners had turns of their own', async () => {
    const [mine, theirs] = [verb(MINE), verb(OTHERS)];
    await intentDb.accept(mine, theirs);
    await intentDb.query('update intents set has_turn = false');
    await intentDb.finishJobs(theirs.id);

    await end(mine.id);

    expect(await withJobs()).to.deep.equal([theirs.id]);
    expect(await intentDb.headOf(WALLET)).to.equal(theirs.id);
  });

  it('gives its turn to one that an operator held when it came', async () => {
    const [theirs, mine, next] = [verb(OTHERS), verb(MINE), verb(MINE)];
    await intentDb.accept(theirs, mine, next);
    const operator = await intentDb.session();
    await operator.query('begin');
    await operator.query('select from intents where id = $1 for update', [next.id]);

    await end(mine.id);
    await operator.query(`select rerun_intent($1, 'op', 'it hangs')`, [next.id]);
    await operator.query('commit');

    expect(await withJobs()).to.deep.equal([theirs.id, next.id]);
  });

  it('has one that is queued again wait for those of its owner that have their turn, also where an operator re-runs it', async () => {
    const [theirs, mine, next] = [verb(OTHERS), verb(MINE), verb(MINE)];
    await intentDb.accept(theirs, mine, next);
    await end(mine.id, 'doubt');
    await intentDb.query(`select send_again($1, 1, '{}', true)`, [mine.id]);

    await intentDb.query(`select rerun_intents(null, null, null, 'op', 'it hangs')`);

    expect(await withJobs()).to.have.members([theirs.id, next.id]);
    expect(await behindOf(mine)).to.equal(next.id);
  });

  it('sends again what never arrived, whatever another owner has accepted meanwhile', async () => {
    const mine = verb(MINE);
    await intentDb.accept(mine);
    await end(mine.id, 'doubt');
    await intentDb.query('update intents set sender_lost = true');
    await intentDb.accept(verb(OTHERS));
    const sendAgain = () => intentDb.query<{ ok: boolean }>(`select send_again($1, 1, '{}') as ok`, [mine.id]);

    const [first] = await sendAgain();

    expect(first?.ok).to.equal(true);
    expect(await withJobs()).to.include(mine.id);
  });

  it('gives its turn to one that missed it, while another owner’s is at work', async () => {
    const [theirs, mine, next] = [verb(OTHERS), verb(MINE), verb(MINE)];
    await intentDb.accept(theirs, mine, next);
    await intentDb.query(`update intents set has_turn = false, created_at = now() - interval '1 minute'`);
    await intentDb.finishJobs(mine.id);

    const sweep = () => intentDb.query<{ n: number }>('select requeue_stranded() as n');

    expect(await sweep()).to.deep.equal([{ n: 1 }]);
    expect(await withJobs()).to.have.members([theirs.id, mine.id]);
    expect(await sweep()).to.deep.equal([{ n: 0 }]);
  });

  it('makes an entry urgent for exits of its own owner alone', async () => {
    const [entry, theirs] = [verb(MINE), verb({ ...OTHERS, ...EXIT })];
    const isUrgent = async () =>
      (
        await intentDb.query<{ ok: boolean }>(
          'select exits_wait_behind(lane, position) as ok from intents where id = $1',
          [entry.id],
        )
      )[0]?.ok;
    await intentDb.accept(entry, theirs);

    const before = await isUrgent();
    await intentDb.accept(verb({ ...MINE, ...EXIT }));

    expect([before, await isUrgent()]).to.deep.equal([false, true]);
  });

  it('lets a paused owner’s wait for the end of the pause, whatever the other sends', async () => {
    const [held, theirs, next] = [verb(MINE), verb(OTHERS), verb({ ...OTHERS, ...EXIT })];
    await intentDb.accept(held, theirs, next);
    const { fence } = (await intentDb.claim(held.id)) as Row;
    await intentDb.query(`select pause_work('ptn_a', true, 'op', 'they asked')`);

    await intentDb.query('select wait_for_pause($1, $2, false, false)', [held.id, fence]);

    const [{ left } = { left: 0 }] = await intentDb.query<{ left: number }>(
      'select extract(epoch from deadline_at - now())::double precision as left from intents where id = $1',
      [held.id],
    );
    expect(left).to.be.above(1);
  });

  it('stays one lane elsewhere: two purchases for one address never pay at the same time', async () => {
    const [mine, theirs] = [MINE, OTHERS].map((owner) =>
      verb({ ...owner, kind: 'registration/purchase' }, 'registrar:0x1'),
    );

    await intentDb.accept(mine as Item, theirs as Item);

    expect(await withJobs()).to.deep.equal([mine?.id]);
    expect(await behindOf(theirs as Item)).to.equal(mine?.id);
  });

  it('executes every verb once, each owner’s in order, however they end', async () => {
    const about = ['BTC long', 'BTC short', undefined];
    const items = Array.from({ length: 90 }, (_, n) =>
      verb({ ...(n % 3 ? MINE : OTHERS), alongside: about[Math.floor(n / 5) % 3] }),
    );
    const depends = (a: Item, b: Item) =>
      a.owner === b.owner && (!a.alongside || !b.alongside || a.alongside !== b.alongside);
    const done: string[] = [];
    let atOnce = 0;
    const step = async (n: number) => {
      const atWork = await withJobs();
      const running = items.filter(({ id }) => atWork.includes(id));
      for (const a of running) for (const b of running) if (a !== b) expect(depends(a, b)).to.equal(false);
      atOnce = Math.max(atOnce, new Set(running.map(({ owner }) => owner)).size);
      const id = atWork[(n * 7) % Math.max(1, atWork.length)];
      if (id === undefined) return;
      await end(id, (['settle', 'doubt', 'expire'] as const)[n % 3]);
      done.push(id);
    };

    for (const [n, one] of items.entries()) {
      await intentDb.accept(one);
      if (n % 2) await step(n);
    }
    for (let n = 0; done.length < items.length && n < 200; n += 1) await step(n);

    expect(new Set(done).size).to.equal(items.length);
    expect(atOnce).to.equal(2);
    for (const [n, one] of items.entries())
      for (const later of items.slice(n + 1))
        if (depends(one, later)) expect(done.indexOf(one.id)).to.be.below(done.indexOf(later.id));
  });
});
