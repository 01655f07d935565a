import { expect } from 'chai';
import { sql } from 'slonik';
import { eventually } from '../support/money.ts';
import { control, market } from '../support/orders.ts';
import { relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';
import { faultOf } from '../support/stream-schemas.ts';

type Logged = { type: string; data: Record<string, unknown> };

describe('events of a partner about a subaccount', function () {
  this.timeout(20_000);
  let service: TestService;
  afterEach(() => service.stop());

  const logOf = async (trader: Awaited<ReturnType<TestService['trader']>>): Promise<Logged[]> =>
    (await trader.get('/v1/events?type=subaccount.updated')).body;
  const statusesOf = async (trader: Awaited<ReturnType<TestService['trader']>>) =>
    (await logOf(trader)).map(({ data }) => data.status);
  const eliminate = (traderId: string) =>
    control(service, 'subaccount', { subaccount_id: Number(traderId), elimination: 'LIQUIDATED' });

  it('report what the network makes of it by itself, once, while nobody places orders', async () => {
    service = await startService({ upstream: { activationMs: 900 } });
    const [trader, other] = [await service.trader(), await service.trader()];
    await eventually(async () => {
      await service.runTask('accounts/sweep');
      return (await statusesOf(other)).length > 1;
    });
    await eliminate(trader.traderId);
    for (const _ of [1, 2]) await service.runTask('accounts/sweep');

    expect(await statusesOf(trader)).to.deep.equal(['pending', 'active', 'eliminated']);
    expect(await statusesOf(other)).to.deep.equal(['pending', 'active']);
    for (const event of await logOf(trader)) expect(faultOf(event.type, event)).to.equal(null);
  });

  it('are followed by reads of what they say, not of what was read before', async () => {
    service = await startService();
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market());
    const before = await trader.get('/v1/positions/netvenue');
    await eliminate(trader.traderId);
    await service.runTask('accounts/sweep');

    const [told, after] = [await statusesOf(trader), await trader.get('/v1/positions/netvenue')];

    expect([before.body.length, told.at(-1)]).to.deep.equal([1, 'eliminated']);
    expect(after.body).to.deep.equal([]);
  });

  it('are followed by such reads of the wallet that it is linked to', async () => {
    service = await startService();
    const trader = await service.wallet();
    const { body } = await trader.post('/v1/register/netvenue', { ex_address: trader.wallet });
    const before = await trader.get('/v1/balance');
    await eliminate(body.subaccount.subaccount_id);
    await service.runTask('accounts/sweep');

    const after = await trader.get('/v1/balance');

    expect([before.body.status, after.body.status]).to.deep.equal(['active', 'breached']);
  });

  it('report a liquidation also if the service was down at that time', async () => {
    service = await startService();
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market());
    await service.stopWorkers();
    await eliminate(trader.traderId);

    await service.startWorker();
    await service.runTask('accounts/sweep');

    expect(await statusesOf(trader)).to.deep.equal(['active', 'eliminated']);
  });

  it('report it although the network lists another one without its size', async () => {
    const relay = await relayTo();
    service = await startService({ settings: { NETVENUE_VALIDATOR_URL: relay.url } });
    relay.target = service.miner.validatorUrl;
    const [trader, odd] = [await service.trader(), await service.trader()];
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || !name.startsWith('GET /entity/')) return reply;
      const listed = JSON.parse(String(reply.body));
      delete listed.entity.subaccounts[odd.traderId].account_size;
      const { 'content-length': _, ...headers } = reply.headers;
      return { ...reply, headers, body: JSON.stringify(listed) };
    };
    for (const { traderId } of [trader, odd]) await eliminate(traderId);

    await service.runTask('accounts/sweep');

    for (const one of [trader, odd]) expect(await statusesOf(one)).to.deep.equal(['active', 'eliminated']);
    await relay.close();
  });

  it('do not follow a list that is older than what was read of it', async () => {
    service = await startService();
    const trader = await service.trader();
    await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), status: 'pending' });
    await service.runTask('accounts/sweep');
    await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), elimination: 'INACTIVE' });
    await service.runTask('accounts/sweep');
    await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), status: 'active' });
    await service.runTask('accounts/sweep');

    expect(await statusesOf(trader)).to.deep.equal(['active', 'eliminated']);
  });

  it('report it although the accounts of apps that are due cannot be taken', async () => {
    service = await startService();
    const trader = await service.trader();
    await service.db.query(sql.unsafe`
      create or replace function sweep_prop_accounts(every_s double precision, most integer) returns bigint
      language sql as 'select 1 / (most - most)::bigint'`);
    await eliminate(trader.traderId);

    const swept = await service.runTask('accounts/sweep').catch((error: Error) => error);

    expect(swept).to.be.an('error');
    expect(await statusesOf(trader)).to.deep.equal(['active', 'eliminated']);
  });
});
