import { expect } from 'chai';
import pg from 'pg';
import { sql } from 'slonik';
import { limit, market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { readStream, type StreamEvent } from '../support/stream.ts';
import { followed, startStreamed } from '../support/streamed.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

/** The first event of a stream that matches, from now on. */
async function awaited(url: string, headers: Record<string, string>) {
  const reader = await readStream(url, headers);
  await until('the stream has begun', async () => reader.events[0] ?? null);
  return {
    drop: reader.drop,
    event: (matches: (event: StreamEvent) => boolean) =>
      until('the event', async () => reader.events.find(matches) ?? null, 10_000),
  };
}

describe('reads after an event of what nobody requested', function () {
  this.timeout(60_000);

  describe('at the network', () => {
    let service: Trading;
    before(async () => {
      service = await startTrading({ settings: { TRADING_WATCH_MS: '100' } });
    });
    after(() => service.stop());

    it('show the position of a resting order that was executed, and in a new stream too', async () => {
      const trader = await service.propTrader();
      const { api_key, ask } = await trader.key();
      const stream = `${service.url}${TRADING}/stream`;
      const { event, drop } = await awaited(stream, { 'X-Api-Key': api_key });
      await ask('POST', `${TRADING}/orders`, { json: limit({ trade_pair: 'SOLUSDC', limit_price: 190, quantity: 5 }) });
      const before = await ask('GET', `${TRADING}/positions`);
      service.miner.setPrice('SOLUSDC', 189);

      await event(({ type, data }) => type === 'position' && data.change === 'opened');
      const late = await awaited(stream, { 'X-Api-Key': api_key });
      const snapshot = await late.event(({ type }) => type === 'snapshot');
      const after = await ask('GET', `${TRADING}/positions`);
      service.miner.setPrice('SOLUSDC', 200);
      for (const each of [drop, late.drop]) each();

      expect(before.body).to.deep.equal([]);
      expect(snapshot.data.positions).to.have.length(1);
      expect(after.body).to.have.length(1);
    });

    it('show that no position is left of an account that was eliminated', async () => {
      const { account, traderId, ask } = await service.propTrader();
      await ask('POST', `${TRADING}/orders`, { json: market() });
      const before = await ask('GET', `${TRADING}/positions`);

      await service.network({ subaccount_id: Number(traderId), elimination: 'drawdown' });
      await service.runTask('accounts/sync', { prop_account_id: account.id });
      const told = await ask('GET', `/v2/payments/prop-accounts/${account.id}`);
      const after = await ask('GET', `${TRADING}/positions`);

      expect([before.body.length, told.body.status]).to.deep.equal([1, 'eliminated']);
      expect(after.body).to.deep.equal([]);
    });

    it('are not what a comparison with the network goes by: it says at once what the network does', async () => {
      const { account, traderId, ask } = await service.propTrader();
      await ask('GET', `${TRADING}/positions`);

      await service.network({ subaccount_id: Number(traderId), bucket: 'SUBACCOUNT_FUNDED' });
      const { body } = await ask('POST', `/v2/lifecycle/sync/${account.id}`);

      expect(body).to.include({ status: 'funded', synced: true });
    });

    it('show that an account that was funded has no profit target any more', async () => {
      const { account, traderId, ask } = await service.propTrader();
      const ids = async () =>
        (await ask('GET', `${TRADING}/rules`)).body.map(({ rule_id }: { rule_id: string }) => rule_id);
      const before = await ids();

      await service.network({ subaccount_id: Number(traderId), bucket: 'SUBACCOUNT_FUNDED' });
      await service.runTask('accounts/sync', { prop_account_id: account.id });
      const told = await ask('GET', `/v2/payments/prop-accounts/${account.id}`);
      const after = await ids();

      expect(before).to.include('challenge.profit_target');
      expect(told.body.status).to.equal('funded');
      expect(after).not.to.include('challenge.profit_target');
    });

    it('show in a new stream the status that was reported while it was being opened', async () => {
      const trader = await service.propTrader();
      const { api_key, ask } = await trader.key();
      const { id } = trader.account;
      const other = new pg.Client(String(service.settings.DATABASE_URL));
      await other.connect();
      await other.query('begin');
      await other.query(`insert into account_watches (prop_account_id) values ('${id}')`);

      const opening = awaited(`${service.url}${TRADING}/stream`, { 'X-Api-Key': api_key });
      const waits = sql.unsafe`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%listen_to_accounts%'`;
      await until('it waits', async () => (await service.db.exists(waits)) || null);
      await service.network({ subaccount_id: Number(trader.traderId), elimination: 'drawdown' });
      await trader.ask('POST', `/v2/lifecycle/sync/${id}`);
      await other.query('rollback');
      await other.end();
      const { event, drop } = await opening;
      const { data } = await event(({ type }) => type === 'snapshot');
      const balance = await ask('GET', `${TRADING}/balance`);
      drop();

      expect(balance.body).to.include({ status: 'eliminated' });
      expect(data).to.include({ status: 'eliminated' });
    });
  });

  describe('at the exchange', () => {
    let service: TestService;
    before(async () => {
      service = await startStreamed();
    });
    after(() => service.stop());

    it('show that an exit is no longer open that has closed the position', async () => {
      const trader = await service.wallet();
      const order = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'market', stop_loss: 2_500 };
      await trader.post('/v1/orders/exvenue', order);
      await followed(service, trader);
      const { event, drop } = await awaited(`${service.url}/v1/stream`, { Authorization: `Bearer ${trader.key}` });
      const before = await trader.get('/v1/orders/exvenue');
      service.exchange.setMid('ETH', '2400');

      await event(({ type, data }) => type === 'position.updated' && JSON.stringify(data).includes('closed'));
      const after = await trader.get('/v1/orders/exvenue');
      drop();

      expect(before.body).to.have.length(1);
      expect(after.body).to.deep.equal([]);
    });
  });
});
