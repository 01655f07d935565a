import { expect } from 'chai';
import { ledgerVerdicts, tradeUnderHarm } from './scenes/trading.ts';
import { broken, shown } from './verdicts.ts';

const BEHIND_MS = Number(process.env.CHAOS_BEHIND_MS ?? 1_000);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 72);

describe('workers that are killed while they sign for the exchange', function () {
  this.timeout(120_000 + ORDERS * 600);

  it('lose no order and duplicate none, use no nonce twice, and settle every intent', async () => {
    const traded = await tradeUnderHarm({
      seed: Number(process.env.CHAOS_SEED ?? 1),
      stage: {
        workers: 4,
        settings: {
          ORDER_DEADLINE_MS: '120000',
          EXVENUE_BUDGET_PER_MINUTE: '24000',
          EXVENUE_READ_LAG_MS: String(BEHIND_MS * 2),
        },
      },
      exchange: {
        orders: ORDERS,
        perSecond: Number(process.env.CHAOS_RATE ?? 15),
        wallets: 20,
        readsBehindMs: BEHIND_MS,
      },
      harms: { sequence: ['kill', 'cut', 'kill'], everyMs: 1_200, atLeast: 3 },
      settleWithinMs: 90_000 + ORDERS * 300,
    });

    const verdicts = ledgerVerdicts(traded);
    for (const verdict of verdicts) console.log(`      ${shown(verdict)}`);
    expect(broken(verdicts)).to.deep.equal([]);
    expect(traded.requested.exchange, 'orders and other verbs').to.be.greaterThan(ORDERS);
    expect(traded.harms.kill).to.be.at.least(2);
  });
});
