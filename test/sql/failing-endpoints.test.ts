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

  it('gets one lane while it fails, and no job for another with each event', async () => {
    const lanesAfter = async () => {
      for (let n = 0; n < 3; n += 1) await intentDb.query(`select emit_event('app_1', 'a.b', '{}')`);
      return (await intentDb.query('select lanes from webhook_endpoints'))[0];
    };
    await intentDb.query('update webhook_endpoints set lanes = 0');
    await failing('1 hour');
    expect(await lanesAfter()).to.deep.equal({ lanes: 0b1 });
    await intentDb.query('update webhook_endpoints set failing_since = null');

    expect(await lanesAfter()).to.deep.equal({ lanes: 0b1111 });
  });

  it('has a former secret sign no longer than it was to, however often it gets another', async () => {
    const rotate = (id: string, overlapS: number) =>
      intentDb.query(`select rotate_webhook_secret('app_1', 'whe_1', '${id}', '\\x01', ${overlapS}, '{}')`);
    await rotate('second', 60);
    await rotate('third', 3_600);

    const signing = await intentDb.query(
      `select id, extract(epoch from expires_at - now())::integer as for_s from webhook_secrets order by created_at, id`,
    );
    expect(signing).to.have.deep.members([
      { id: 'whs_1', for_s: 60 },
      { id: 'second', for_s: 3_600 },
      { id: 'third', for_s: null },
    ]);
  });
});
