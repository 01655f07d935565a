import { expect } from 'chai';
import { fromMinuteStart } from '../support/figures.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

type Series = { figure: string; label: string; values: (number | null)[] };
type Figures = { starts_at: string; step_seconds: number; series: Series[] };

const MINUTE_MS = 60_000;
const BUDGET = ['https://exchange', 1_000, 10];

describe('roll_up', function () {
  this.timeout(30_000);
  let intentDb: IntentDatabase;
  let nowMs: number;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query('truncate intents, lanes, figures cascade');
    nowMs = await fromMinuteStart(10_000);
  });
  afterEach(() => intentDb.close());

  const rollUp = () => intentDb.query('select roll_up($1, $2, $3)', BUDGET);
  const minutes = (): Promise<Series[]> => intentDb.query('select * from figures_of(60, 60)');
  const of = (series: Series[], figure: string, label: string) =>
    series.find((each) => each.figure === figure && each.label === label)?.values;

  /** An intent that ended in the minute that began so many minutes ago, so long after its acceptance. */
  async function ended(
    minutesAgo: number,
    seconds: number,
    more: { kind?: string; place?: 'failed' | 'expired' } = {},
  ) {
    const id = await intentAt(intentDb, more.place ?? 'succeeded', { kind: more.kind ?? 'network/place' });
    const at = new Date(nowMs - minutesAgo * MINUTE_MS + 30_000);
    await intentDb.query(
      'update intents set settled_at = $2, created_at = $2::timestamptz - make_interval(secs => $3) where id = $1',
      [id, at, seconds],
    );
  }

  it('counts each venue’s order verbs per second, and 0 only where it has counted', async () => {
    for (const seconds of [1, 2, 3]) await ended(1, seconds);
    await ended(1, 1, { kind: 'exchange/cancel' });
    await ended(1, 1, { kind: 'payments/checkout' });
    await ended(2, 1);
    await ended(0, 1); // not over

    await rollUp();
    const shown = await minutes();

    expect(of(shown, 'orders_per_second', 'netvenue')).to.deep.equal([...Array(58).fill(0), 1 / 60, 3 / 60]);
    expect(of(shown, 'orders_per_second', 'exvenue')).to.deep.equal([...Array(59).fill(0), 1 / 60]);
    expect(of(shown, 'oldest_job_seconds', 'queue')?.slice(0, 59)).to.deep.equal(Array(59).fill(null));
  });

  it('shows the times to settle as a sorted list has them', async () => {
    const seconds = Array.from({ length: 41 }, (_, n) => (n * 7) % 41); // 0 to 40, out of order
    for (const each of seconds) await ended(3, each);

    await rollUp();
    const shown = await minutes();

    expect(of(shown, 'settle_p50_seconds', 'netvenue')).to.deep.equal([...Array(57).fill(null), 20, null, null]);
    expect(of(shown, 'settle_p99_seconds', 'netvenue')?.[57]).to.be.closeTo(39.6, 1e-9);
    expect(of(shown, 'settle_p50_seconds', 'exvenue')).to.equal(undefined);
  });

  it('counts what ended without success by its code, of every kind', async () => {
    await ended(2, 1, { place: 'failed' });
    await ended(2, 1, { place: 'failed', kind: 'payments/checkout' });
    await ended(1, 1, { place: 'expired' });

    await rollUp();
    const shown = await minutes();

    expect(of(shown, 'failed_intents', 'VENUE_REJECTED')?.slice(-3)).to.deep.equal([0, 2, 0]);
    expect(of(shown, 'failed_intents', 'DEADLINE_PASSED')?.slice(-3)).to.deep.equal([0, 0, 1]);
  });

  it('counts nothing twice, counts what was committed late, and makes up for a pause of an hour', async () => {
    await ended(2, 1);
    await rollUp();
    await rollUp();
    await ended(2, 1);
    await ended(40, 1);
    await rollUp();
    const together = of(await minutes(), 'orders_per_second', 'netvenue');
    await intentDb.query(`delete from figures where at > now() - interval '50 minutes'`);
    await rollUp();

    expect(together).to.deep.equal([...Array(58).fill(0), 2 / 60, 0]);
    expect(of(await minutes(), 'orders_per_second', 'netvenue')?.[20]).to.equal(1 / 60);
  });

  it('measures what waits now, and keeps the most of five minutes', async () => {
    await intentAt(intentDb, 'in_doubt');
    await intentAt(intentDb, 'in_doubt', { kind: 'exchange/place' });
    await intentDb.query(`insert into request_budgets (name, tokens, counted_at) values ($1, 250, clock_timestamp())`, [
      BUDGET[0],
    ]);
    await rollUp();
    await intentDb.query('truncate intents, lanes cascade');
    await rollUp();

    const shown = await minutes();
    const last = (figure: string, label: string) => of(shown, figure, label)?.at(-1);

    expect(last('intents_in_doubt', 'netvenue')).to.equal(1);
    expect(last('intents_in_doubt', 'exvenue')).to.equal(1);
    expect(last('intents_in_doubt', 'processor')).to.equal(0);
    expect(['pending', 'sending', 'failed'].map((state) => last('deliveries', state))).to.deep.equal([0, 0, 0]);
    expect(last('budget_used_ratio', 'exvenue')).to.be.within(0.7, 0.75);
    const [most] = await intentDb.query<{ value: number }>(
      `select value from figures where width_s = 300 and figure = 'intents_in_doubt' and label = 'netvenue'`,
    );
    expect(most?.value).to.equal(1);
  });

  it('keeps no more than the charts show', async () => {
    await intentDb.query(`
      insert into figures (width_s, at, figure, label, value)
      select w, now() - make_interval(mins => n), 'deliveries', 'pending', 1
      from unnest(array[60, 300]) w, generate_series(0, 3000, 10) n`);
    await rollUp();

    const [kept] = await intentDb.query<{ minutes: number; fives: number }>(`
      select extract(epoch from now() - min(at) filter (where width_s = 60)) / 60 as minutes,
        extract(epoch from now() - min(at) filter (where width_s = 300)) / 60 as fives
      from figures`);

    expect(Number(kept?.minutes)).to.be.within(60, 121);
    expect(Number(kept?.fives)).to.be.within(24 * 60, 25 * 60 + 1);
  });
});

describe('getFigures', function () {
  this.timeout(30_000);
  let service: Identity;
  let operator: TestAdmin;
  before(async () => {
    service = await startIdentity();
    operator = await service.admin();
    await service.runTask('housekeeping/figures');
  });
  after(() => service.stop());

  const read = async (query = ''): Promise<Figures> =>
    (await operator.ask('GET', `/v2/admin/figures${query}`)).body as Figures;

  it('shows an hour in minutes and a day in five minutes, up to the last step that is over', async () => {
    for (const [query, step, steps] of [
      ['', 60, 60],
      ['?window=hour', 60, 60],
      ['?window=day', 300, 288],
    ] as const) {
      const { starts_at, step_seconds, series } = await read(query);
      const endsMs = Date.parse(starts_at) + steps * step * 1_000;

      expect(step_seconds, query).to.equal(step);
      expect(Date.now() - endsMs, query).to.be.within(0, step * 1_000 + 5_000);
      expect(
        series.map(({ values }) => values.length),
        query,
      ).to.deep.equal(series.map(() => steps));
      expect(
        series.map(({ figure }) => figure),
        query,
      ).to.include.members(['orders_per_second', 'deliveries']);
    }
  });

  it('rejects another window', async () => {
    const { status, body } = await operator.ask('GET', '/v2/admin/figures?window=week');

    expect(status).to.equal(422);
    expect(body.error.code).to.equal('INVALID_REQUEST');
  });
});
