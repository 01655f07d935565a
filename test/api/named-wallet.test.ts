import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { legCloid } from '../../src/kernel/exchange-names.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { type Caller, caller } from '../support/caller.ts';
import { cancelDirectly, readWallets } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { comparedUntil } from '../support/protection.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const ASYNC = { prefer: 'wait=0' };

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type Event = { type: string; data: Record<string, unknown> };

describe('a wallet of one partner that another one has only named', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { EXVENUE_PATIENCE_MS: '20000', EXVENUE_READ_LAG_MS: '1000' } });
  });
  after(() => service.stop());
  afterEach(() => service.exchange.faults.clear());

  /** A wallet, and a partner that enrolled it with a key of its own, which the exchange has neither confirmed nor rejected yet. */
  async function named(): Promise<[Wallet, Caller & { owner: string }]> {
    const [wallet, partner] = [await service.wallet(), await service.partner()];
    const agent = generatePrivateKey();
    const approve = (address: string) => service.exchange.approveAgent(wallet.wallet, address, 'desk');
    approve(privateKeyToAddress(agent));
    await partner.post('/v1/sessions', { ex_wallet: wallet.wallet, private_key: agent });
    await service.db.query(sql.unsafe`update signing_keys set verified_at = null where owner = ${partner.owner}`);
    approve(privateKeyToAddress(generatePrivateKey()));
    return [wallet, { ...caller(service.url, partner.key, { 'Trader-ID': wallet.wallet }), owner: partner.owner }];
  }

  /** A verb of a partner about a wallet that goes on for as long as the test. */
  const underWay = (owner: string, { wallet }: Wallet, kind: string, state: 'queued' | 'in_doubt') =>
    service.db.query(sql.unsafe`
      insert into intents (id, kind, owner, lane, state, request, digest, sending_at, deadline_at)
      values (gen_random_uuid(), ${kind}, ${owner}, ${`exvenue:${wallet}`}, ${state},
        ${JSON.stringify({ wallet, oids: 'all', terms: { pair: 'BTC-USDC' } })}::jsonb, '',
        case when ${state} = 'in_doubt' then now() end, now() + interval '10 minutes')`);

  const typesOf = async (trader: Caller) =>
    ((await trader.get('/v1/events?limit=500')).body as Event[]).map(({ type }) => type);

  /** A position of the wallet whose exit the owner's own software has cancelled. */
  async function unprotected(trader: Wallet): Promise<void> {
    const { body } = await trader.post(ORDERS, { ...MARKET, stop_loss: 90_000 });
    await readWallets(service);
    await cancelDirectly(service, trader, legCloid(body.order_id as IntentId, 'sl'));
  }

  it('is closed while orders of the other have no response', async () => {
    const [trader, other] = await named();
    await trader.post(ORDERS, MARKET);
    service.exchange.faults.add({ kind: 'hang', route: 'POST /exchange', times: 1 });
    const sent = await other.post(ORDERS, MARKET, ASYNC);
    const state = async () => (await other.get(`/v1/intents/${sent.body.order_id}`)).body.state;
    await until('it was sent', async () =>
      service.db.exists(sql.unsafe`
      select from intents where id = ${sent.body.order_id} and sending_at is not null`),
    );

    const closed = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(closed.body, JSON.stringify(closed.body)).to.include({ status: 'filled' });
    expect(await state()).to.equal('running');
  });

  it('has no position, whatever the other has in doubt', async () => {
    const [trader, other] = await named();
    await underWay(other.owner, trader, 'exchange/place', 'in_doubt');

    expectProblem(await trader.post(`${ORDERS}/close`, { pair: 'BTC' }), 'V1_NO_POSITION');
  });

  it('has lost exits placed again, whatever the other has in doubt', async () => {
    const [trader, other] = await named();
    await underWay(other.owner, trader, 'exchange/cancel', 'in_doubt');
    const { body } = await trader.post(ORDERS, {
      ...{ ...MARKET, order_type: 'limit', price: 100_100, size: '0.0505', stop_loss: 80_000 },
    });

    service.exchange.endOrder(trader.wallet, `0x${String(body.order_id).replaceAll('-', '')}`, 'marginCanceled');

    await until(
      'its exits are placed again',
      async () => {
        await readWallets(service);
        return service.db.exists(sql.unsafe`
          select from intents where lane = ${`exvenue:${trader.wallet}`} and kind = 'exchange/protect' and state = 'succeeded'`);
      },
      15_000,
    );
  });

  it('has missing exits reported, whatever the other has under way', async () => {
    const [trader, other] = await named();
    await unprotected(trader);
    await underWay(other.owner, trader, 'exchange/cancel', 'queued');

    await comparedUntil(service.db, async () => (await typesOf(trader)).includes('position.unprotected'), {
      wallet: trader.wallet,
    });
  });

  it('is compared as before when what the other never sent has ended', async () => {
    const [trader, other] = await named();
    await unprotected(trader);
    await service.db.query(sql.unsafe`
      update wanted_exits set is_changed = false, due_at = now() + interval '1 minute' where trader = ${trader.wallet}`);

    const failed = await other.post(ORDERS, { ...MARKET, size: '0.00001' });

    expectProblem(failed, 'V1_ORDER_INVALID');
    expect(
      await service.db.oneFirst(sql.type(z.object({ is_changed: z.boolean() }))`
      select is_changed from wanted_exits where trader = ${trader.wallet}`),
    ).to.equal(false);
  });

  it('wants its exits still after the other has cancelled everything, and nothing rested', async () => {
    const [trader, other] = await named();
    await unprotected(trader);
    await service.db.query(sql.unsafe`
      update intents set settled_at = settled_at - interval '1 minute' where lane = ${`exvenue:${trader.wallet}`}`);
    await service.db.query(sql.unsafe`
      update exit_plans set decided_at = decided_at - interval '1 minute' where trader = ${trader.wallet}`);

    const cancelled = await other.delete(ORDERS, { prefer: 'wait=2' });

    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(202);
    expect(
      await service.db.oneFirst(sql.type(z.object({ wanted: z.number() }))`
      select jsonb_array_length(wanted) wanted from wanted_exits where trader = ${trader.wallet}`),
    ).to.equal(1);
  });
});
