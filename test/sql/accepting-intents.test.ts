import { expect } from 'chai';
import {
  type DbSession,
  type IntentDatabase,
  type Item,
  item,
  openIntentDatabase,
  type Row,
  WAITING,
} from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

describe('accepting intents', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  const accepted = async (more = {}) => {
    const one = item(more);
    await intentDb.accept(one);
    return one.id;
  };
  const jobsOf = async (id: string) => (await intentDb.jobs()).filter(({ intent_id }) => intent_id === id);

  it('gives every item of a batch its own verdict', async () => {
    const known = item({ digest: '0a', idempotency_key: 'k1' });
    const foreign = item({ owner: 'ptn_b' });
    await intentDb.accept(known, foreign);
    const [byKey, reused, taken, fresh] = [
      item({ digest: '0a', idempotency_key: 'k1' }),
      item({ digest: '0b', idempotency_key: 'k1' }),
      item({ id: foreign.id, idempotency_key: 'k2' }),
      item({ idempotency_key: 'k3' }),
    ];

    const verdicts = await intentDb.accept(byKey, { ...known, idempotency_key: undefined }, reused, taken, fresh);

    expect(verdicts).to.deep.equal([
      { n: 0, intent_id: known.id, verdict: 'replayed' },
      { n: 1, intent_id: known.id, verdict: 'replayed' },
      { n: 2, intent_id: known.id, verdict: 'key_reused' },
      { n: 3, intent_id: foreign.id, verdict: 'id_taken' },
      { n: 4, intent_id: fresh.id, verdict: 'accepted' },
    ]);
    expect(await intentDb.row(byKey.id)).to.equal(undefined);
    expect(await intentDb.query('select key from idempotency_keys order by key')).to.deep.equal([
      { key: 'k1' },
      { key: 'k3' },
    ]);
  });

  it('distinguishes two identical items of one batch: the second replays the first', async () => {
    const [one, two] = [item({ idempotency_key: 'same' }), item({ idempotency_key: 'same' })];

    const verdicts = await intentDb.accept(one, two);

    expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'replayed']);
    expect(verdicts[1]?.intent_id).to.equal(one.id);
  });

  it('keeps the same key of two owners separate', async () => {
    const verdicts = await intentDb.accept(
      item({ idempotency_key: 'mine' }),
      item({ idempotency_key: 'mine', owner: 'ptn_b', digest: '01' }),
    );

    expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['accepted', 'accepted']);
  });

  it('gives a key that an intent does not keep to the same request, and to no other', async () => {
    const first = item({ idempotency_key: 'passing' });
    await intentDb.accept(first);
    await intentDb.query(
      `update intents set state = 'failed', settled_at = now(), outcome = '{"problem": {"code": "RATE_LIMITED"}}' where id = $1`,
      [first.id],
    );

    const other = await intentDb.accept(item({ idempotency_key: 'passing', digest: '01' }));
    const same = await intentDb.accept(item({ idempotency_key: 'passing' }));

    expect([...other, ...same].map(({ verdict }) => verdict)).to.deep.equal(['key_reused', 'accepted']);
  });

  for (const [what, ways, hasJob] of [
    ['waits for its turn in its lane', [undefined, undefined], false],
    ['runs beside the head of its lane, if it may', ['BTC long', 'ETH long'], true],
  ] as const)
    it(`reuses a key of an intent that ${what}`, async () => {
      const [lane, key] = [what, { idempotency_key: what }];
      const first = await accepted({ lane, ...key });
      const { fence } = (await intentDb.claim(first)) as Row;
      await intentDb.query(`select settle_intent($1, $2, 'failed', '{"problem": {"code": "RATE_LIMITED"}}')`, [
        first,
        fence,
      ]);
      const head = await accepted({ lane, alongside: ways[0] });

      const again = await accepted({ lane, alongside: ways[1], ...key });

      expect(await intentDb.headOf(lane)).to.equal(head);
      expect(await jobsOf(again)).to.have.length(hasJob ? 1 : 0);
    });

  it('queues one job for each accepted intent, with only the id in it', async () => {
    const id = await accepted({ kind: 'network/close', request: { secret: 'no' } });

    const jobs = await jobsOf(id);
    const [{ payload } = { payload: null }] = await intentDb.query<{ payload: object | null }>(
      `select payload from queue_jobs where payload ->> 'intent_id' = $1`,
      [id],
    );

    expect(jobs.map(({ task }) => task)).to.deep.equal(['network/close']);
    expect(payload).to.deep.equal({ intent_id: id });
  });

  it('writes all of a batch or, when one item cannot be written, nothing', async () => {
    const [good, bad] = [item(), item({ digest: 'no hex' })];

    const failure = await intentDb.accept(good, bad).catch((error) => error);

    expect(failure).to.be.instanceOf(Error);
    expect(await intentDb.row(good.id)).to.equal(undefined);
    expect(await jobsOf(good.id)).to.deep.equal([]);
  });

  /** The verdicts of two batches, the second of which begins while the first waits for rows that somebody else holds until then. */
  async function besideEachOther(held: string, batches: [Item[], Item[]]): Promise<string[][]> {
    const [holder, ...hands] = [await intentDb.session(), await intentDb.session(), await intentDb.session()];
    await holder.query('begin');
    await holder.query(held);
    const accepting: Promise<string[]>[] = [];
    for (const [n, batch] of batches.entries()) {
      const done = (hands[n] as DbSession).accept(...batch); // as: there are two
      accepting.push(done.then((verdicts) => verdicts.map(({ verdict }) => verdict)));
      await until('it waits', async () => (await intentDb.query(WAITING)).length > n);
    }
    await holder.query('commit');
    return Promise.all(accepting);
  }

  it('does not deadlock where two batches repeat the same requests in another order', async () => {
    const ask = (key: string) => item({ lane: 'repeated', idempotency_key: key });
    await intentDb.accept(ask('x'), ask('y'));

    const verdicts = await besideEachOther(`select from idempotency_keys where key = 'x' for update`, [
      [ask('x'), ask('y')],
      [ask('y'), ask('x')],
    ]);

    expect(verdicts).to.deep.equal([
      ['replayed', 'replayed'],
      ['replayed', 'replayed'],
    ]);
  });

  it('does not deadlock where one batch reuses a key in a lane before those of its other intents', async () => {
    const again = { lane: 'lane a', idempotency_key: 'again' };
    const first = await accepted(again);
    const { fence } = (await intentDb.claim(first)) as Row;
    await intentDb.query(`select settle_intent($1, $2, 'failed', '{"problem": {"code": "RATE_LIMITED"}}')`, [
      first,
      fence,
    ]);
    await intentDb.query(`insert into lanes (name) values ('lane m')`);

    const verdicts = await besideEachOther(`select from lanes where name = 'lane m' for update`, [
      [item({ lane: 'lane a' }), item({ lane: 'lane m' }), item({ lane: 'lane z' })],
      [item({ lane: 'lane z' }), item(again)],
    ]);

    expect(verdicts.flat()).to.deep.equal(Array(5).fill('accepted'));
  });
});
