import { expect } from 'chai';
import fc from 'fast-check';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

const IDS = ['a', 'b', 'c'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`);
const RUNS = 150;

/** Items with colliding ids and keys about half of the time. */
const newIntents = fc.array(
  fc.record({
    id: fc.constantFrom(...IDS),
    owner: fc.constantFrom('ptn_a', 'ptn_b'),
    digest: fc.constantFrom('00', '01'),
    idempotency_key: fc.option(fc.constantFrom('k', 'l'), { nil: undefined }),
  }),
  { maxLength: 6 },
);

describe('accept_intents', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  for (const judge of ['accept_intents', 'accept_one_by_one']) {
    it(`gives every item a correct verdict, whatever collides in a batch: ${judge}`, async () => {
      const property = fc.asyncProperty(newIntents, newIntents, async (earlier, batch) => {
        await intentDb.query('begin');
        await intentDb.accept(...earlier.map((one) => item(one)));
        const before = new Set((await intentDb.jobs()).map(({ intent_id }) => intent_id));

        const reported = await verdictsOf(judge, batch);

        const untrue = reported.filter(({ verdict, ...about }) => !isTrue[verdict]?.(about));
        const jobs = (await intentDb.jobs()).map(({ intent_id }) => intent_id).filter((id) => !before.has(id));
        await intentDb.query('rollback');
        const accepted = reported.filter(({ verdict }) => verdict === 'accepted').map(({ intent_id }) => intent_id);
        expect(untrue).to.deep.equal([]);
        expect(reported).to.have.length(batch.length);
        expect(jobs).to.have.members(accepted);
        expect(accepted).to.have.length(new Set(accepted).size);
      });

      await fc.assert(property, { numRuns: RUNS });
    });
  }

  it('puts the first of each lane at its head, with the others behind it in the order of the batch', async () => {
    const lanes = ['y', 'x', 'z'];
    const batch = Array.from({ length: 30 }, (_, n) => item({ lane: String(lanes[n % 3]) }));

    await intentDb.accept(...batch);

    for (const [n, lane] of lanes.entries()) {
      const rows = await intentDb.query<{ id: string }>('select id from intents where lane = $1 order by position', [
        lane,
      ]);
      expect(rows.map(({ id }) => id)).to.deep.equal(batch.filter((one) => one.lane === lane).map(({ id }) => id));
      expect(await intentDb.headOf(lane)).to.equal(batch[n]?.id);
    }
    expect((await intentDb.jobs()).map(({ intent_id }) => intent_id)).to.have.members(
      batch.slice(0, 3).map(({ id }) => id),
    );
  });

  /** Every item of a batch with its verdict, and the rows under its id and its key afterwards. */
  async function verdictsOf(judge: string, batch: Partial<Submitted>[]): Promise<(About & { verdict: string })[]> {
    const items = batch.map((one, n) => ({ ...item(one), n }));
    const verdicts = await intentDb.query<{ n: number; intent_id: string; verdict: string }>(
      `select n, intent_id, verdict from ${judge}($1)`,
      [JSON.stringify(items)],
    );
    const rows = await intentDb.query<Stored>(`select id, owner, encode(digest, 'hex') digest from intents`);
    const keys = await intentDb.query<Key>(
      `select intent_id id, owner, key, encode(digest, 'hex') digest from idempotency_keys`,
    );
    return verdicts.map(({ n, ...verdict }) => {
      const submitted = items[n] as unknown as Submitted;
      return {
        ...verdict,
        submitted,
        row: rows.find(({ id }) => id === submitted.id),
        reported: rows.find(({ id }) => id === verdict.intent_id),
        key: keys.find(({ owner, key }) => owner === submitted.owner && key === submitted.idempotency_key),
      };
    });
  }
});

type Stored = { id: string; owner: string; digest: string };
type Key = Stored & { key: string };
type Submitted = Stored & { idempotency_key?: string | undefined };
/** An item, the row under its id, the row it was referred to, and the row under its key. */
type About = {
  submitted: Submitted;
  intent_id: string;
  row: Stored | undefined;
  reported: Stored | undefined;
  key: Key | undefined;
};

const isSame = (a: Stored | undefined, b: Stored) => a?.owner === b.owner && a.digest === b.digest;

const isTrue: Record<string, (about: About) => boolean> = {
  accepted: ({ submitted, intent_id, row, key }) =>
    intent_id === submitted.id && isSame(row, submitted) && (!submitted.idempotency_key || key?.id === submitted.id),
  replayed: ({ submitted, intent_id, reported, key }) =>
    isSame(reported, submitted) && (submitted.idempotency_key ? key?.id === intent_id : intent_id === submitted.id),
  key_reused: ({ submitted, key }) => key !== undefined && key.digest !== submitted.digest,
  id_taken: ({ submitted, row }) => row !== undefined && !isSame(row, submitted),
};

describe('spends_key', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('frees a key after a failure that passes, and not while its intent is open or may have had an effect', async () => {
    const problem = { code: 'VENUE_UNREACHABLE' };
    const ended = { settled_at: '2026-01-01' };
    const spent = async (intent: object) =>
      (await intentDb.query('select spends_key(jsonb_populate_record(null::intents, $1)) as spends', [intent]))[0];

    expect(await spent({ ...ended, state: 'failed', outcome: { problem } })).to.deep.equal({ spends: false });
    for (const kept of [
      { ...ended, state: 'failed', outcome: { problem: { ...problem, effect: 'unknown' } } },
      { ...ended, state: 'failed', outcome: { problem: { code: 'VENUE_REJECTED' } } },
      { state: 'queued', outcome: { problem } }, // with which it would end at its deadline
      { ...ended, state: 'succeeded', outcome: { result: {} } },
    ])
      expect(await spent(kept), JSON.stringify(kept)).to.deep.equal({ spends: true });
  });
});
