import { expect } from 'chai';
import pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { intentOf } from '../../src/intents/claim.ts';
import { intentReader } from '../../src/intents/follow.ts';
import { listTaskNames } from '../../src/intents/task.ts';
import { isTrading } from '../../src/runtime/runners.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('what the database announces', () => {
  let intentDb: IntentDatabase;
  let listener: pg.Client;
  let heard: pg.Notification[] = [];
  before(async () => {
    intentDb = await openIntentDatabase();
    listener = new pg.Client(intentDb.url);
    await listener.connect();
    await listener.query('listen accepted; listen settled; listen outbound_jobs');
    listener.on('notification', (notification) => heard.push(notification));
  });
  after(async () => {
    await listener.end();
    await intentDb.close();
  });
  beforeEach(() => {
    heard = [];
  });

  async function settled(request: object, kind = 'network/place') {
    const intent = item({ kind, request, lane: 'l', request_id: 'r' });
    await intentDb.accept(intent);
    const claim = await intentDb.claim(intent.id);
    await intentDb.beginSending(intent.id, claim?.fence ?? 0);
    await intentDb.settle(intent.id, claim?.fence ?? 0);
    await listener.query('select'); // what was announced before is here with its response
    return intent.id;
  }
  const announced = (of: string) =>
    heard.flatMap(({ channel, payload = '' }) => (channel === of ? [payload.split(/ (.*)/s)] : []));
  const read = async (id: string) => {
    const db = await openPool(intentDb.url, 1, () => {});
    const row = await intentReader(db)(id);
    await db.end();
    return row;
  };

  it('of an intent that has ended: the row that a read finds, without what was sent', async () => {
    const id = await settled({ trader: 'a', text: 'é, two words', price: 0.1 });
    const [[name, text] = []] = announced('settled');
    const row = intentOf(text ?? '');

    expect(name).to.equal(id);
    expect({ ...row, sent_ago_ms: 0 }).to.deep.equal({ ...(await read(id)), sent_payload: null, sent_ago_ms: 0 });
    expect(row.sent_ago_ms).to.be.within(0, 10_000);
  });

  it('of order verbs that were accepted: the rows of those that can start', async () => {
    const [first, behind, elsewhere, other] = [
      item({ lane: 'm' }),
      item({ lane: 'm' }),
      item({ lane: 'n', request: { text: 'é' } }),
      item({ kind: 'payouts/pay', owner: 'app_a' }),
    ];
    await intentDb.accept(first, behind, elsewhere, other);
    await listener.query('select');
    const rows = announced('accepted').map(([, text]) => intentOf(text ?? ''));

    expect(rows).to.have.deep.members([await read(first.id), await read(elsewhere.id)]);
  });

  it('of one that is longer than a notification: its id', async () => {
    const id = await settled({ text: 'é'.repeat(4_000) });

    expect(heard.map(({ channel, payload }) => [channel, payload])).to.deep.equal([
      ['accepted', id],
      ['settled', id],
    ]);
  });

  it('of what is no order verb: its id, since any session of the database can listen', async () => {
    const kinds = (await listTaskNames()).filter((task) =>
      /^(accounts|kyc|payments|payouts|registrations)\//.test(task),
    );
    const intents = await intentDb.query<{ kind: string }>('select kind from intent_kinds where kind = any($1)', [
      kinds,
    ]);
    expect(intents).to.have.length.above(4);
    for (const { kind } of intents) {
      heard = [];
      const id = await settled({ email: 'ada@example.com' }, kind);
      expect(announced('settled'), kind).to.deep.equal([[id]]);
    }
  });

  it('of jobs: to the outbound runner exactly those of its tasks', async () => {
    for (const task of listTaskNames()) {
      heard = [];
      await intentDb.query(
        `select enqueue(array[row($1, '{}', null, null, null, null, null, null)::graphile_worker.job_spec])`,
        [task],
      );
      await listener.query('select');

      expect(
        heard.map(({ channel }) => channel),
        task,
      ).to.deep.equal(isTrading(task) ? [] : ['outbound_jobs']);
    }
  });
});
