import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const DAY_S = 86_400;

describe('a sweep over the events of the processor', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
  });
  afterEach(() => intentDb.close());

  /** The sweep to read, after the one that was opened so long ago. */
  async function opened() {
    const [sweep] = await intentDb.query<{ sweep: number; back_s: number; after: string | null }>(`
      select s.sweep, round(extract(epoch from now() - s.since))::integer as back_s, s.after_event as after
      from open_event_sweep(${DAY_S}, 600) s`);
    return sweep;
  }
  const pass = (hours: number) =>
    intentDb.query(
      `update processor_cursor set opened_at = opened_at - interval '${hours} hours', since = since - interval '${hours} hours'`,
    );
  const read = (sweep: number, next: string | null) =>
    intentDb.query(`select * from take_event_page($1, '[]', $2)`, [sweep, next]);

  it('goes back for a day if it is the first', async () => {
    expect(await opened()).to.deep.equal({ sweep: 1, back_s: DAY_S, after: null });
  });

  it('that ended early goes on behind its last page, as far back as it began', async () => {
    await opened();
    await read(1, 'evt_100');
    await pass(3);

    expect(await opened()).to.deep.equal({ sweep: 1, back_s: DAY_S + 3 * 3_600, after: 'evt_100' });
  });

  it('that follows another goes back to where that began, and ten minutes on: events are listed later than their time', async () => {
    await opened();
    await read(1, 'evt_100');
    await read(1, null);
    await pass(3);

    expect(await opened()).to.deep.equal({ sweep: 2, back_s: 3 * 3_600 + 600, after: null });
  });

  it('is not moved by a page of the one before, which was read late', async () => {
    await opened();
    await read(1, null);
    await opened();

    await read(1, 'evt_1');

    expect(await opened()).to.include({ sweep: 2, after: null });
  });
});
