import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

const URL = 'https://example.com';
const FORMER = 'https://former.example.com';

describe('the endpoint of a delivery that has ended', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('begin'));
  afterEach(() => intentDb.query('rollback'));

  const failing = (since: string) =>
    intentDb.query(`update webhook_endpoints set failing_since = now() - interval '${since}'`);
  async function ended(ending: string, url = URL) {
    await intentDb.query(`select note_ending('whe_1', $1)`, [{ ending, url, delivery_id: 'whd_1' }]);
    const [row] = await intentDb.query(
      `select active, deactivated_because as because, extract(epoch from now() - failing_since)::integer / 86400 as days from webhook_endpoints`,
    );
    return row;
  }

  for (const { since, active, because, days } of [
    { since: '119 hours', active: true, because: null, days: 4 },
    { since: '5 days', active: false, because: 'failing', days: 5 },
  ])
    it(`is ${active ? 'active' : 'deactivated'} after ${since} in which every delivery failed`, async () => {
      await failing(since);

      expect(await ended('retry')).to.deep.equal({ active, because, days });
    });

  it('fails from the first failure on, and no more after a success', async () => {
    expect(await ended('retry')).to.deep.equal({ active: true, because: null, days: 0 });
    expect(await ended('delivered')).to.deep.equal({ active: true, because: null, days: null });
  });

  it('is neither failing nor gone by what its former address responded', async () => {
    expect(await ended('retry', FORMER)).to.deep.equal({ active: true, because: null, days: null });
    expect(await ended('gone', FORMER)).to.deep.equal({ active: true, because: null, days: null });
    const [delivery] = await intentDb.query(`select state from webhook_deliveries where id = 'whd_1'`);
    expect(delivery).to.deep.equal({ state: 'pending' });
  });

  it('is deactivated by its own address that is gone', async () => {
    expect(await ended('gone')).to.include({ active: false, because: 'gone' });
  });
});
