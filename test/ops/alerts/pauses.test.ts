import { expect } from 'chai';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { limit } from '../../support/orders.ts';
import { until } from '../../support/processes.ts';
import { firing, NEVER, ONCE, promtool } from '../../support/rules.ts';
import { startService, type TestService } from '../../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const PAUSE = `select ops.pause($1, 'ada', 'its prices are wrong', true) as verdict`;
const END = `select ops.end_pause($1, 'ada', 'they are right again')`;

describe('the operator on call, of a pause that holds exits too', function () {
  this.timeout(60_000);
  let service: TestService;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    service = await startService({ settings: { ORDER_DEADLINE_MS: '600000' } });
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
  });

  for (const whose of ['the network', 'a partner'])
    it(`is not woken by what it holds of ${whose}, and ends it`, async () => {
      const trader = await service.trader();
      const subject = whose === 'the network' ? 'netvenue' : trader.owner;
      const orders = [await trader.post(ORDERS, limit()), await trader.post(ORDERS, limit())];
      const quiet = await onCall.scrape();
      const paused = await onCall.psql<{ verdict: string }>(PAUSE, [subject]);
      const cancel = async ({ body }: (typeof orders)[number]) =>
        trader.delete(`${ORDERS}/${body.order_uuid}?trade_pair=BTCUSDC`, { prefer: 'wait=0' });
      const cancellations = [];
      for (const order of orders) cancellations.push(await cancel(order));
      await onCall.asOwner(
        `update intents set created_at = created_at - interval '3 minutes' where settled_at is null`,
      );
      const troubled = await onCall.scrape();

      await until('both are known to be stopped', async () => {
        const waiting = await onCall.psql<{ reason: string }>('select reason from ops.waits where is_exit');
        return (waiting.length === 2 && waiting.every(({ reason }) => reason === 'stopped')) || null;
      });
      await onCall.psql(END, [subject]);
      const ended = await Promise.all(cancellations.map((reply) => trader.pollIntent(reply)));
      const calm = await onCall.scrape();

      expect(paused).to.deep.equal([{ verdict: 'paused' }]);
      expect(ended.map(({ state }) => state)).to.deep.equal(['succeeded', 'succeeded']);
      const scrapes = { quiet, troubled, calm };
      expect(await firing('ExitsWait', scrapes, { minutes: 5 })).to.deep.equal(NEVER);
      expect(await firing('OrdersStuck', scrapes, { minutes: 5 })).to.deep.equal(NEVER);
      expect(await firing('UpstreamPaused', scrapes)).to.deep.equal(subject === 'netvenue' ? ONCE : NEVER);
      expect(await firing('PauseForgotten', scrapes)).to.deep.equal(ONCE);
    });
});
