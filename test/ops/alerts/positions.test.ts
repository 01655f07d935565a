import { expect } from 'chai';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { market } from '../../support/orders.ts';
import { cancelExits, comparedUntil } from '../../support/protection.ts';
import { firing, promtool } from '../../support/rules.ts';
import { startService, type TestService } from '../../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const LISTED = 'select pair, repair from ops.unprotected_positions where told_at is not null';

describe('the operator on call, of a position without its exits', function () {
  this.timeout(60_000);
  let service: TestService;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    service = await startService({ upstream: { style: '2026' } });
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
  });

  it('is woken once for each, and not for as long as its trader leaves it so', async () => {
    const unprotected = async (count: number) => {
      const trader = await service.trader();
      await trader.post(ORDERS, market({ stop_loss: 90_000 }));
      await cancelExits(service, trader);
      await comparedUntil(service.db, async () => (await onCall.psql(LISTED)).length === count);
      return trader;
    };
    const quiet = await onCall.scrape();
    await unprotected(1);
    const first = await onCall.scrape();
    const owner = await unprotected(2);
    const second = await onCall.scrape();
    await owner.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    await comparedUntil(service.db, async () => (await onCall.psql(LISTED)).length === 1);
    await unprotected(2);
    const third = await onCall.scrape();
    const events = (await owner.get('/v1/events?type=position.unprotected')).body;

    expect(events, 'its owner knows').to.have.length(1);
    const alert = (shown: Parameters<typeof firing>[1], minutes: number) =>
      firing('PositionUnprotected', shown, { minutes, after: 70 });
    expect(await alert({ quiet, troubled: first, calm: first }, 5)).to.deep.equal({
      inTrouble: true,
      afterwards: false,
    });
    for (const [one, other] of [
      [first, second],
      [second, third], // as many: one was closed between the scrapes
    ] as const)
      expect(await alert({ quiet: one, troubled: other, calm: other }, 5), 'one more').to.deep.equal({
        inTrouble: true,
        afterwards: false,
      });
  });
});
