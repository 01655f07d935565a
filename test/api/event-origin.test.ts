import { expect } from 'chai';
import { verifyWebhook } from '../../src/client/webhook.ts';
import { checkOut, eventually, type Money, startMoney } from '../support/money.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

describe('the origin of an event', () => {
  let service: Money;
  let receiver: Receiver;
  before(async () => {
    service = await startMoney();
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
    await service.stop();
  });

  it('distinguishes an event of the service from one of the same name that an app sends', async () => {
    const app = await service.app(['api', 'webhooks']);
    const user = await service.user(app);
    const json = { url: receiver.url, events: ['payment.succeeded'] };
    const { secret } = (await app.ask('POST', '/v2/webhook-endpoints', { json })).body;
    await app.ask('POST', '/v2/notifications/send', {
      json: { subject: 's', html: 'h', fanout_event: 'payment.succeeded' },
    });
    await eventually(async () => receiver.ledger.length === 1);
    const { processor_payment_intent_id: id } = await checkOut(user.ask);
    await service.control('payment', { id, to: 'succeeded' });
    await eventually(async () => receiver.ledger.length === 2);

    const origins = receiver.ledger.map(({ body, headers }) => [JSON.parse(body).origin, headers['x-service-origin']]);
    const read = await app.ask('GET', '/v2/events');

    expect(origins).to.deep.equal([
      ['app', 'app'],
      ['service', 'service'],
    ]);
    for (const { body, headers } of receiver.ledger)
      expect(await verifyWebhook({ secret, body, headers: headers as Record<string, string> })).to.have.property(
        'origin',
      );
    expect(read.body.map(({ origin }: { origin: string }) => origin))
      .to.include('app')
      .and.to.include('service');
  });
});
