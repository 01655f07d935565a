import { expect } from 'chai';
import { Client } from 'pg';
import { fresh } from '../../support/identity.ts';
import { market } from '../../support/orders.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;

describe('a close of several positions whose response could not be stored', function () {
  this.timeout(60_000);
  let service: Trading;
  let trader: TestTrader;
  let session: Client;
  before(async () => {
    service = await startTrading();
    trader = await service.propTrader();
    session = new Client({ connectionString: String(service.settings.DATABASE_URL) });
    await session.connect();
  });
  after(async () => {
    await session.end();
    await service.stop();
  });

  it('says at its repeat what became of each', async () => {
    for (const trade_pair of ['BTCUSDC', 'ETHUSDC']) await trader.ask('POST', ORDERS, { json: market({ trade_pair }) });
    const open = (await trader.ask('GET', `${TRADING}/positions`)).body as { position_uuid: string }[];
    const request = {
      json: { position_uuids: open.map(({ position_uuid }) => position_uuid) },
      headers: { 'Idempotency-Key': fresh('bulk') },
    };
    await session.query(`
      create function at_storing() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$;
      create trigger at_storing before update on idempotent_responses
        for each row when (new.status is not null) execute function at_storing()`);
    const lost = await trader.ask('POST', `${ORDERS}/bulk-close`, request);
    await session.query('drop function at_storing() cascade');

    const again = await trader.ask('POST', `${ORDERS}/bulk-close`, request);

    expect(lost.body.error).to.include({ effect: 'unknown', retryable: true });
    expect(again.body).to.include({ success: true, message: '2 of 2 closed.' });
    const other = await trader.ask('POST', `${ORDERS}/bulk-close`, {
      ...request,
      headers: { 'Idempotency-Key': fresh('bulk') },
    });
    expect(other.body).to.include({ success: false, message: '0 of 2 closed.' });
  });
});
