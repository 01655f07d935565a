import { expect } from 'chai';
import { sql } from 'slonik';
import type { ErrorCode } from '../../../src/kernel/error-codes.ts';
import { newIntentId } from '../../../src/kernel/ids.ts';
import { type Ask, asking, atOnce, bearer, fresh } from '../../support/identity.ts';
import { eventually } from '../../support/money.ts';
import { effectsOf, limit, market, restingOf } from '../../support/orders.ts';
import { expectRejected } from '../../support/rejected.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;
const UUID = newIntentId();

const writes: [name: string, method: string, path: string, json?: object][] = [
  ['submitTradingOrder', 'POST', ORDERS, market()],
  ['closeTradingPosition', 'POST', `${ORDERS}/close`, { trade_pair: 'BTCUSDC' }],
  ['closeTradingPositions', 'POST', `${ORDERS}/bulk-close`, { position_uuids: [UUID] }],
  ['setTradingTpSl', 'POST', `${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', take_profit: 130_000 }],
  ['cancelTradingOrder', 'DELETE', `${ORDERS}/${UUID}`],
  ['cancelTradingOrder with its pair', 'DELETE', `${ORDERS}/${UUID}?trade_pair=BTCUSDC`],
  ['editTradingOrder', 'POST', `${ORDERS}/${UUID}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 }],
];
const reads: [name: string, path: string, whenFound: number][] = [
  ['listTradingOrders', ORDERS, 200],
  ['getTradingOrder', `${ORDERS}/${UUID}`, 404],
  ['getTradingIntent', `${TRADING}/intents/${UUID}`, 404],
  ['listTradingPositions', `${TRADING}/positions`, 200],
  ['getTradingBalance', `${TRADING}/balance`, 200],
  ['listTradingHistory', `${TRADING}/history`, 200],
  ['getTradingDesk', `${TRADING}/desk-poll`, 200],
  ['listTradingRules', `${TRADING}/rules`, 200],
  ['streamTradingEvents', `${TRADING}/stream`, 200],
];

/** How an account in each state responds to writes and to reads; null where it accepts them. */
const states: [status: string, subaccount: boolean, write: ErrorCode | null, read: ErrorCode | null][] = [
  ['provisioning', false, 'V2_SUBACCOUNT_NOT_READY', 'V2_SUBACCOUNT_NOT_READY'],
  ['provisioning', true, 'V2_SUBACCOUNT_NOT_READY', 'V2_SUBACCOUNT_NOT_READY'],
  ['subaccount_failed', false, 'V2_SUBACCOUNT_NOT_READY', 'V2_SUBACCOUNT_NOT_READY'],
  ['subaccount_failed', true, 'V2_SUBACCOUNT_NOT_READY', 'V2_SUBACCOUNT_NOT_READY'],
  ['eliminated', false, 'V2_SUBACCOUNT_NOT_READY', 'V2_SUBACCOUNT_NOT_READY'],
  ['eliminated', true, 'V2_ACCOUNT_NOT_TRADEABLE', null],
  ['evaluation', true, null, null],
  ['funded', true, null, null],
];

describe('an account in each state', () => {
  let service: Trading;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());

  const moved = async (status: string, subaccount: boolean) => {
    const trader = await service.propTrader();
    const key = await trader.key();
    await service.db.query(sql.unsafe`
      update prop_accounts
      set status = ${status}, synthetic_hotkey = case when ${subaccount} then synthetic_hotkey end,
        sync_after = now() + interval '1 hour' -- a sync would find the subaccount that is ready
      where id = ${trader.account.id}`);
    const callers: Ask[] = [trader.ask, trader.app, key.ask];
    return { trader, callers };
  };

  it('is not what a user means without naming one while another of his accounts may trade', async () => {
    const trader = await service.propTrader();
    await service.db.query(sql.unsafe`
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
      select 'prop_' || a.user_id, a.owner, a.user_id, (select min(t.id) from tiers t where t.id <> a.tier_id), a.market, a.asset_class, a.account_size, 'subaccount_failed'
      from prop_accounts a
      where a.id = ${trader.account.id}`);

    const meant = await trader.user.ask('GET', `${TRADING}/balance`);
    await service.db.query(sql.unsafe`update prop_accounts set status = 'eliminated' where id = ${trader.account.id}`);
    const newest = await trader.user.ask('GET', `${TRADING}/balance`);

    expect(meant.status).to.equal(200);
    expectRejected(newest, 'V2_SUBACCOUNT_NOT_READY');
  });

  const rejections = states.flatMap(([, , write, read]) => [write, read]).filter(Boolean);
  for (const [status, subaccount, write, read] of states) {
    it(`${status} ${subaccount ? 'with' : 'without'} a subaccount: writes ${write ?? 'pass'}, reads ${read ?? 'pass'}`, async () => {
      const { trader, callers } = await moved(status, subaccount);

      for (const ask of callers) {
        for (const [name, method, path, json] of writes) {
          const reply = await ask(method, path, json && { json });
          if (write) expectRejected(reply, write, { effect: 'none' });
          else expect(rejections, name).not.to.include(reply.body.error?.code ?? '');
        }
        for (const [name, path, whenFound] of reads) {
          if (!read && name === 'streamTradingEvents') continue;
          const reply = await ask('GET', path);
          if (read) expectRejected(reply, read);
          else expect(reply.status, `${name} ${JSON.stringify(reply.body)}`).to.equal(whenFound);
        }
      }

      const effects = effectsOf(service, trader);
      if (write) expect(effects).to.deep.equal([]);
      else expect(effects).to.include('market');
    });
  }

  it('is named by an app, and one that does not exist is said to be unknown', async () => {
    const unnamed = await asking(service.url, bearer(service.tenant.token))('GET', `${TRADING}/balance`);
    const headers = { 'X-Prop-Account': 'prop_of_nobody' };
    const unknown = await asking(service.url, { ...bearer(service.tenant.token), ...headers })(
      'GET',
      `${TRADING}/balance`,
    );

    expectRejected(unnamed, 'INVALID_REQUEST');
    expect(unnamed.body.error.fields).to.deep.equal([
      { loc: ['header', 'X-Prop-Account'], msg: 'must name an account of the app', type: 'required' },
    ]);
    expectRejected(unknown, 'V2_PROP_ACCOUNT_UNKNOWN');
  });

  for (const status of ['eliminated', 'provisioning', 'subaccount_failed'])
    it(`gives a repeat the result of the first, also to an account that is ${status} since`, async () => {
      const trader = await service.propTrader();
      const keyed = { json: market(), headers: { 'Idempotency-Key': fresh('once') } };
      const named = { json: limit({ order_uuid: newIntentId() }) };
      const first = [await trader.ask('POST', ORDERS, keyed), await trader.ask('POST', ORDERS, named)];
      await service.db.query(sql.unsafe`update prop_accounts set status = ${status} where id = ${trader.account.id}`);

      const again = [await trader.ask('POST', ORDERS, keyed), await trader.ask('POST', ORDERS, named)];

      expect(
        again.map(({ status: code, body, headers }) => [code, body.order_uuid, headers.get('idempotent-replayed')]),
      ).to.deep.equal(first.map(({ body }) => [200, body.order_uuid, 'true']));
      const other = await trader.ask('POST', ORDERS, { ...keyed, json: market({ leverage: 0.2 }) });
      expect(other.body.error.code).to.be.oneOf(['IDEMPOTENCY_KEY_REUSED', 'V2_SUBACCOUNT_NOT_READY']);
    });
});

describe('an eliminated account', () => {
  let service: Trading;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());

  const eliminate = (trader: TestTrader) =>
    service.db.query(sql.unsafe`
      select move_prop_account(${trader.account.id}, 'evaluation', 'eliminated', 'drawdown')`);

  it('sends nothing that was accepted before and not yet sent', async () => {
    const trader = await service.propTrader();
    const resting = await trader.ask('POST', ORDERS, { json: limit() });
    const lane = `netvenue:${trader.account.synthetic_hotkey}:BTCUSDC`;
    const blocker = newIntentId();
    await service.db.query(sql.unsafe`update lanes set head = ${blocker} where name = ${lane}`);
    const options = { headers: { Prefer: 'wait=0' } };
    const placed = await trader.ask('POST', ORDERS, { ...options, json: market() });
    const changes = { trade_pair: 'BTCUSDC', limit_price: 91_000 };
    const edited = await trader.ask('POST', `${ORDERS}/${resting.body.order_uuid}/edit`, { ...options, json: changes });
    await eliminate(trader);
    await service.db.query(sql.unsafe`select leave_lane(${lane}, ${blocker})`);

    for (const { headers } of [placed, edited]) {
      const id = headers.get('intent-id');
      const settled = await eventually(async () => {
        const { body } = await trader.ask('GET', `${TRADING}/intents/${id}`);
        return body.settled_at && body;
      });
      expect(settled).to.deep.include({ state: 'failed', effect: 'none' });
      expect(settled.problem).to.include({ code: 'V2_ACCOUNT_NOT_TRADEABLE' });
    }
    expect(effectsOf(service, trader)).not.to.include('market');
    expect((await restingOf(service, trader))[0]).to.include({ limitPrice: 90_000 });
  });

  it('accepts no order once it is eliminated, however many arrive at that moment', async () => {
    const trader = await service.propTrader();
    const order = () => trader.ask('POST', ORDERS, { json: market(), headers: { Prefer: 'wait=0' } });
    const first = await order();

    const crowd = atOnce(40, order);
    await eliminate(trader);
    const late = await atOnce(10, order);
    const replies = [first, ...(await crowd), ...late];
    const accepted = replies.filter(({ status }) => status === 202);

    expect(first.status).to.equal(202);
    for (const reply of [...late, ...replies.filter(({ status }) => status !== 202)])
      expectRejected(reply, 'V2_ACCOUNT_NOT_TRADEABLE');
    expect(effectsOf(service, trader).length).to.be.at.most(accepted.length);
  });

  it('is not eliminated before an order that is being accepted', async () => {
    const trader = await service.propTrader();
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    const moving = held.promise.then(() => eliminate(trader)).then(() => order.push('moved'));

    await service.db.transaction(async (accepting) => {
      const item = {
        ...{
          n: 0,
          id: newIntentId(),
          kind: 'network/place',
          owner: service.tenant.appId,
          digest: '00',
          deadline_s: 15,
        },
        ...{
          trader: trader.account.synthetic_hotkey,
          pair: 'BTCUSDC',
          request: {},
          prop_account_id: trader.account.id,
        },
      };
      await accepting.query(sql.unsafe`select * from accept_trading_orders(${JSON.stringify([item])}::jsonb)`);
      held.resolve();
      await new Promise((resolve) => setTimeout(resolve, 100));
      order.push('accepted');
    });
    await moving;

    expect(order).to.deep.equal(['accepted', 'moved']);
  });
});
