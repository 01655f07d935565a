import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { caller } from '../support/caller.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const ETH = { ...MARKET, pair: 'ETH', size: '0.1' };
/** Half of it is filled at once. */
const HALF_FILLED = { ...MARKET, order_type: 'limit', price: 100_100, size: '0.0505' };

describe('an action of a wallet that is in doubt', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { EXVENUE_EXPIRES_MS: '30000', EXVENUE_READ_LAG_MS: '1000' } });
  });
  after(() => service.stop());
  afterEach(() => service.exchange.faults.clear());

  /** Enrolls a new agent of a wallet for a partner. */
  async function enrollAgent(owner: Pick<Trader, 'post' | 'key'>, wallet: string) {
    const agent = generatePrivateKey();
    service.exchange.approveAgent(wallet, privateKeyToAddress(agent), privateKeyToAddress(agent).slice(0, 12));
    const { status, body } = await owner.post('/v1/sessions', { ex_wallet: wallet, private_key: agent });
    expect(status, JSON.stringify(body)).to.equal(200);
    return caller(service.url, owner.key, { 'Trader-ID': wallet });
  }

  /** Sends what never arrives, and waits until it is in doubt. Returns a read of its state. */
  async function lost(trader: Trader, path: string, body: object) {
    service.exchange.faults.add({ kind: 'hang', route: 'POST /exchange', times: 1 });
    const sent = await trader.post(path, body, { prefer: 'wait=0' });
    const state = async () => (await trader.get(`/v1/intents/${sent.body.order_id}`)).body.state;
    await until('it is in doubt', async () => (await state()) === 'in_doubt' || null);
    return state;
  }

  it('holds up no other partner that trades the wallet', async () => {
    const trader = await service.wallet();
    const other = await enrollAgent(await service.partner(), trader.wallet);
    await other.post(ORDERS, MARKET);
    const state = await lost(trader, ORDERS, MARKET);

    const closed = await other.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(closed.body, JSON.stringify(closed.body)).to.include({ status: 'filled' });
    expect(await state()).to.equal('in_doubt');
  });

  it('holds up no new key once it can have no effect any more', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await service.db.query(sql.unsafe`
      insert into intents (id, kind, owner, lane, state, request, sent_payload, digest, sending_at, deadline_at)
      select gen_random_uuid(), 'exchange/cancel', k.owner, 'exvenue:' || k.ex_wallet, 'in_doubt', '{}',
        jsonb_build_object('key_id', k.id), '', now() - interval '1 hour', now() - interval '1 hour'
      from signing_keys k
      where k.ex_wallet = ${trader.wallet}`);
    const rotated = await enrollAgent(trader, trader.wallet);

    const closed = await rotated.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(closed.body, JSON.stringify(closed.body)).to.include({ status: 'filled' });
  });

  it('holds up no exits in another pair that are placed again', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, ETH);
    const state = await lost(trader, `${ORDERS}/close`, { pair: 'ETH' });
    const { body } = await trader.post(ORDERS, { ...HALF_FILLED, stop_loss: 80_000 });
    service.exchange.endOrder(trader.wallet, cloidOf(body.order_id), 'marginCanceled');

    await until(
      'its exits rest again',
      async () => {
        await readWallets(service);
        const open = await exchangeOf(service).openOrders(trader.wallet);
        return (
          (open.kind === 'found' && open.data.some(({ exit, parentOid }) => exit === 'sl' && parentOid === null)) ||
          null
        );
      },
      10_000,
    );
    expect(await state()).to.equal('in_doubt');
  });

  it('holds up no close behind a cancellation of it, or behind a close of its pair', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, ETH);
    const { body } = await trader.post(ORDERS, { ...MARKET, order_type: 'limit', price: 50_000 });
    await service.db.query(sql.unsafe`
      update intents
      set state = 'in_doubt', settled_at = null, outcome = null, sending_at = now() - interval '1 hour'
      where id = ${body.order_id}`);

    const [cancelled, none, closed] = await Promise.all([
      trader.delete(`${ORDERS}/${body.order_id}`),
      trader.post(`${ORDERS}/close`, { pair: 'BTC' }),
      new Promise((done) => setTimeout(done, 100)).then(() => trader.post(`${ORDERS}/close`, { pair: 'ETH' })),
    ]);

    expectProblem(cancelled, 'V1_ORDER_IN_DOUBT', { effect: 'none' });
    expectProblem(none, 'V1_ORDER_IN_DOUBT', { effect: 'none' });
    expect(closed.body, JSON.stringify(closed.body)).to.include({ status: 'filled' });
  });
});
