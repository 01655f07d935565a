import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { handlePaymentEvent } from '../../../src/capabilities/payments/updates.ts';
import { WAITING } from '../../support/intent-database.ts';
import { checkOut, eventually, type Money, startMoney } from '../../support/money.ts';

describe('an event of the processor that a second worker applies because the first was stopped', () => {
  let service: Money;
  let session: Client;
  before(async () => {
    service = await startMoney({ notified: false });
    session = new Client({ connectionString: String(service.settings.DATABASE_URL) });
    await session.connect();
  });
  after(async () => {
    await session.end();
    await service.stop();
  });

  it('is applied once: the app is notified of a failed attempt once', async () => {
    const { payment_id: payment, processor_payment_intent_id: id } = await checkOut(service.buyer.ask);
    await service.control('payment', { id, to: 'declined' });
    const event = service.processor.events.find(({ type }) => type === 'payment_intent.payment_failed');
    if (!event) throw new Error('no event');

    await session.query('begin');
    await session.query('select from payments where id = $1 for update', [payment]);
    await service.notify(event);
    const second = handlePaymentEvent(event.id, {
      db: service.db,
      config: { ACCOUNT_DEADLINE_MS: 60_000 },
      log: { error() {} },
    });
    await eventually(async () => (await session.query(WAITING)).rowCount === 2);
    await session.query('commit');
    await second;

    const failed = () =>
      service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*) count
        from events e
        where e.type = 'payment.failed' and event_body(e)::jsonb -> 'data' ->> 'payment_id' = ${payment}`);
    const job = `select from queue_jobs j where j.payload ->> 'event_id' = $1`;
    await eventually(async () => (await session.query(job, [event.id])).rowCount === 0); // the first has ended, too
    expect(await failed()).to.equal(1);
  });
});
