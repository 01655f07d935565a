import { expect } from 'chai';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { market } from '../../support/orders.ts';
import { until } from '../../support/processes.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { firing, ONCE, promtool } from '../../support/rules.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('the operator on call, of webhooks', function () {
  this.timeout(60_000);
  let service: TestService;
  let onCall: OnCall;
  let receiver: Receiver;
  before(async function () {
    if (!promtool) this.skip();
    service = await startService();
    onCall = await openOnCall(service);
    receiver = await startReceiver();
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
    await receiver?.close();
  });
  const listening = async () => {
    const trader = await service.trader();
    await trader.post('/v1/webhook-endpoints', { url: receiver.url, events: ['order.updated'] });
    return trader;
  };
  const pending = () => onCall.asOwner<{ id: string }>(`select id from webhook_deliveries where state = 'pending'`);

  it('tells the owner of an endpoint that fails, and it is well once it takes what is sent', async () => {
    const trader = await listening();
    const quiet = await onCall.scrape();
    receiver.behave(() => 500);
    await trader.post('/v1/orders/netvenue', market());
    await until(
      'an attempt',
      async () =>
        (await onCall.asOwner(`select from webhook_endpoints where failing_since is not null`)).length > 0 || null,
    );
    await onCall.asOwner(`update webhook_deliveries set created_at = created_at - interval '35 minutes'`);
    const troubled = await onCall.scrape();

    receiver.behave(() => 200);
    for (const { id } of await pending()) await onCall.psql(`select ops.retry_delivery($1, 'ada', 'it is back')`, [id]);
    await onCall.asOwner(`update webhook_deliveries set due_at = now() where state = 'pending'`);
    await service.runTask('webhooks/sweep');
    await until('its delivery', async () => (await pending()).length === 0 || null, 20_000);
    const calm = await onCall.scrape();

    expect(await firing('EndpointFailing', { quiet, troubled, calm })).to.deep.equal(ONCE);
    expect(await firing('DeliveriesUndelivered', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });

  it('starts a worker for what is due', async () => {
    const trader = await service.trader();
    const json = { url: receiver.url, events: ['order.updated'] };
    const { body } = await trader.post('/v1/webhook-endpoints', json);
    receiver.behave(() => 200);
    const quiet = await onCall.scrape();
    await service.stopWorkers();
    const { status } = await trader.post(`/v1/webhook-endpoints/${body.id}/test`);
    await onCall.asOwner(
      `update webhook_deliveries set due_at = due_at - interval '6 minutes' where state = 'pending'`,
    );
    const troubled = await onCall.scrape();

    const late = await onCall.psql('select * from ops.deliveries');
    await service.startWorker();
    await service.runTask('webhooks/sweep');
    await until('its delivery', async () => (await pending()).length === 0 || null, 20_000);
    const calm = await onCall.scrape();

    expect(status).to.equal(200);
    expect(late).not.to.be.empty;
    expect(await firing('DeliveriesLate', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });
});
