import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

const EXVENUE = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

type Line = Record<string, string>;

/** How a partner has placed the exit that the market then reaches. */
const PLACED: Record<string, (post: Awaited<ReturnType<TestService['wallet']>>['post']) => Promise<unknown>> = {
  'with its order': (post) => post(EXVENUE, { ...MARKET, stop_loss: '98000' }),
  'by a command': async (post) => {
    await post(EXVENUE, MARKET);
    await post(`${EXVENUE}/tp-sl`, { pair: 'BTC', stop_loss: 98_000 });
  },
};

describe('an exit at the exchange', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { RETAIN_INTENTS_DAYS: '8', RETAIN_ORDERS_DAYS: '8' } });
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  const read = async () => {
    for (let run = 0; run < 2; run++) await readWallets(service);
  };

  for (const [how, place] of Object.entries(PLACED))
    it(`that was placed ${how} is in the statement of whoever placed it, with its fee, and of nobody else`, async () => {
      const [trader, other] = [await service.wallet(), await service.partner()];
      await other.post('/v1/sessions', { ex_wallet: trader.wallet, private_key: trader.privateKey });
      await place(trader.post);
      await read();

      service.exchange.setMid('BTC', '97000');
      await read();

      const lines: Line[] = (await trader.get('/v1/statements')).body;
      const [[exit], fees] = [
        lines.filter(({ kind, side }) => kind === 'fill' && side === 'short'),
        lines.filter(({ kind }) => kind === 'fee'),
      ];
      const executed = await service.db.any(sql.type(
        z.object({ reference: z.string(), amount: z.string(), oid: z.string() }),
      )`
        select f.trade_id::text as reference, trim_scale(f.fee)::text as amount, f.oid
        from exchange_fills f
        where f.ex_wallet = ${trader.wallet}
        order by f.filled_at, f.seq`);
      expect(fees.map(({ reference, amount }) => ({ reference, amount }))).to.have.deep.members(
        executed.map(({ reference, amount }) => ({ reference, amount })),
      );
      expect(executed).to.have.length(2);
      expect(exit).to.include({ what: 'executed', venue: 'exvenue', pair: 'BTC-USDC', quantity: '0.01' });
      expect(exit).to.include({ trader_id: trader.wallet, reference: executed[1]?.oid });
      expect(Number(exit?.price)).to.be.within(90_000, 98_000);
      expect((await other.get('/v1/statements')).body).to.deep.equal([]);
    });

  for (const [how, place] of Object.entries(PLACED))
    it(`that was placed ${how} long ago is reported and stated all the same, whatever has been pruned`, async () => {
      const trader = await service.wallet();
      await place(trader.post);
      await read();
      await service.db.query(
        sql.unsafe`update intents set settled_at = settled_at - interval '500 days' where settled_at is not null`,
      );
      await service.db.query(sql.unsafe`update orders set ended_at = ended_at - interval '500 days'`);
      await service.runTask('housekeeping/prune');

      service.exchange.setMid('BTC', '97000');
      await read();

      const lines: Line[] = (await trader.get('/v1/statements')).body;
      expect(lines.map(({ kind, side }) => side ?? kind)).to.have.members(['long', 'fee', 'short', 'fee']);
      const events: { type: string }[] = (await trader.get('/v1/events?type=exit.triggered')).body;
      expect(events).to.have.length(1);
    });
});
