import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

describe('a payment, by its name at the processor', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(() => intentDb.close());

  const first = async (text: string) => (await intentDb.query<Record<string, unknown>>(text))[0];

  it('keeps the first id that the processor gave it', async () => {
    for (const name of ['pi_1', 'pi_2']) await intentDb.query(`select name_payment('pay_1', $1)`, [name]);

    expect(await first('select processor_payment_intent_id as name from payments')).to.deep.equal({ name: 'pi_1' });
  });

  it('takes up the event that is stored at the moment at which it gets its name', async () => {
    const [notified, naming] = [await intentDb.session(), await intentDb.session()];
    const event = {
      id: 'evt_9',
      type: 'x',
      said_at_ms: 1,
      fact: { about: 'payment', of: 'pi_1', processorId: 'pi_1' },
    };
    await notified.query('begin');
    await notified.query(`select take_processor_events($1, 'notified')`, [JSON.stringify([event])]);

    const named = naming.query(`select name_payment('pay_1', 'pi_1')`);
    await Promise.race([
      named,
      until('it waits for the event', async () => (await intentDb.query(WAITING)).length > 0 || null),
    ]);
    await notified.query('commit');
    await named;

    expect(await first(`select outcome from processor_events where id = 'evt_9'`)).to.deep.equal({ outcome: null });
  });
});
