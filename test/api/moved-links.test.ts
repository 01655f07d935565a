import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Caller, caller } from '../support/caller.ts';
import { limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { cancelExits, comparedUntil } from '../support/protection.ts';
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

  it('notifies only its present partner about missing exits, whoever wanted them', async () => {
    const [former, partner] = [await service.trader(), await service.partner()];
    const present = caller(service.url, partner.key, { 'Trader-ID': former.traderId });
    const name = randomUUID();
    await former.post(ORDERS, market({ stop_loss: 90_000, order_uuid: name }));
    await service.db.query(
      sql.unsafe`update subaccounts set owner = ${partner.owner} where subaccount_id = ${Number(former.traderId)}`,
    );
    const typesOf = async (one: Caller) =>
      ((await one.get('/v1/events?limit=500')).body as { type: string }[]).map(({ type }) => type);
    const isTold = (type: string) => comparedUntil(service.db, async () => (await typesOf(present)).includes(type));

    await cancelExits(service, former);
    await isTold('position.unprotected');
    await present.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    await isTold('position.protected');

    for (const type of ['position.unprotected', 'position.protected'])
      expect(await typesOf(former)).to.not.include(type);
    expect(JSON.stringify((await present.get('/v1/events')).body)).to.not.include(name);
  });
});
