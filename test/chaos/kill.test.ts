import { expect } from 'chai';
import { ledgerVerdicts, takeoverVerdict, tradeUnderHarm } from './scenes/trading.ts';
import { broken, shown } from './verdicts.ts';

const ORDERS = Number(process.env.CHAOS_ORDERS ?? 96);
const RATE = Number(process.env.CHAOS_RATE ?? 24);
const THROUGH_CLIENT = Math.ceil(ORDERS / 4);
const HARMS = 4; // at least, two of them kills of workers

describe('workers and web processes that are killed while orders are placed and sent', function () {
  this.timeout(120_000 + ORDERS * 300);

  it('lose no order, duplicate none and mislead no caller of the client, and their work continues within 15 s', async () => {
    const traded = await tradeUnderHarm({
      seed: Number(process.env.CHAOS_SEED ?? 1),
      stage: {
        workers: 3,
        upstream: { processingMs: 250 },
        settings: { ORDER_DEADLINE_MS: '60000', NETVENUE_IN_FLIGHT_MS: '5000' },
      },
      network: { orders: ORDERS - THROUGH_CLIENT, perSecond: RATE * 0.75, traders: 30 },
      clients: { orders: THROUGH_CLIENT, perSecond: RATE / 4, traders: 10 },
      harms: { sequence: ['kill', 'web', 'cut', 'kill'], everyMs: 1_200, atLeast: HARMS },
      settleWithinMs: 60_000,
    });

    const verdicts = [...ledgerVerdicts(traded), takeoverVerdict(traded, 2)];
    for (const verdict of verdicts) console.log(`      ${shown(verdict)}`);
    expect(broken(verdicts)).to.deep.equal([]);
    expect(traded.orders?.orders).to.be.at.least(ORDERS);
    expect(traded.orders?.states.succeeded, 'orders executed in spite of it').to.be.greaterThan(ORDERS * 0.7);
  });
});
