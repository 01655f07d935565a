import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Caller } from '../support/caller.ts';
import { limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('a trader that is another partner’s by now', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const moveTrader = (number: string) =>
    service.db.query(sql.type(z.object({}))`
      update subaccounts set owner = (select p.id from partners p where p.id <> owner limit 1) where subaccount_id = ${Number(number)}`);

  const WRITES: Record<
    string,
    (trader: Caller, uuid: string, headers: Record<string, string>) => ReturnType<Caller['get']>
  > = {
    'an order under its key': (trader, _, headers) => trader.post(ORDERS, market(), { headers }),
    'an order under its own id': (trader, uuid) => trader.post(ORDERS, market({ order_uuid: uuid })),
    'a close under its key': (trader, _, headers) =>
      trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }, { headers }),
    'a cancellation under its key': (trader, uuid, headers) =>
      trader.delete(`${ORDERS}/${uuid}?trade_pair=BTCUSDC`, { headers }),
  };
  for (const [name, write] of Object.entries(WRITES))
    it(`says to a repeat of its former partner what became of the first request: ${name}`, async () => {
      const [trader, uuid] = [await service.trader(), randomUUID()];
      await service.partner();
      if (name.startsWith('a close')) await trader.post(ORDERS, market());
      if (name.startsWith('a cancel')) await trader.post(ORDERS, limit({ order_uuid: uuid }));
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await write(trader, uuid, headers);
      await moveTrader(trader.traderId);

      const repeat = await write(trader, uuid, headers);

      expect(first.status, JSON.stringify(first.body)).to.equal(200);
      expect(repeat.body).to.deep.equal(first.body);
      expectProblem(await trader.post(ORDERS, market()), 'V1_TRADER_UNKNOWN', { effect: 'none' });
    });
});
