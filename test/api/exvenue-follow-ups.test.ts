import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type QuerySqlToken, sql } from 'slonik';
import { z } from 'zod';
import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { listWantedExits } from '../../src/venues/queries.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { jsonReply, startProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const row = z.object({});
const rejection = (text: string) => jsonReply({ status: 'err', response: text });
/** Half of it is filled at once. */
const HALF_FILLED = { ...MARKET, order_type: 'limit', price: 100_100, size: '0.0505' };

describe('what follows from a command', function () {
  this.timeout(60_000);
  let service: TestService;
  let closeProxy: () => Promise<void>;
  /** The response to the next action of this type, which the venue never sees, and to the one after that. */
  let instead: { type: string; reply: ReturnType<typeof jsonReply>; next?: ReturnType<typeof jsonReply> } | null = null;
  /** An action type whose actions reach the venue, and whose responses are lost. */
  let unheard: string | null = null;
  /** Reads that are behind: of orders by these client order ids, and of the list of open orders. */
  const hidden = new Set<string>();
  let isListHidden = false;
  /** No record of an exit is shown, and no list of open orders can be read. */
  let areExitsUnread = false;
  before(async () => {
    const proxy = await startProxy(async ({ action, type, oid }, forward) => {
      if (isListHidden && type === 'frontendOpenOrders') return jsonReply([]);
      if (areExitsUnread && type === 'frontendOpenOrders') return jsonReply({}, 500);
      if (areExitsUnread && type === 'orderStatus') {
        const reply = await forward();
        return reply?.text.includes('"isTrigger":true') ? jsonReply({ status: 'unknownOid' }) : reply;
      }
      if (hidden.has(String(oid))) return jsonReply({ status: 'unknownOid' });
      if (unheard !== null && action?.type === unheard) {
        await forward();
        return jsonReply({}, 500);
      }
      if (!instead || action?.type !== instead.type) return forward();
      const { reply, next } = instead;
      instead = next ? { type: instead.type, reply: next } : null;
      return reply;
    });
    service = await startService({
      settings: { EXVENUE_URL: proxy.url, EXVENUE_READ_LAG_MS: '1000', EXVENUE_EXPIRES_MS: '30000' },
    });
    proxy.target = service.exchange.url;
    closeProxy = proxy.close;
  });
  after(async () => {
    await service.stop();
    await closeProxy();
  });
  afterEach(() => {
    unheard = null;
    isListHidden = false;
    areExitsUnread = false;
    hidden.clear();
  });

  const exists = async (query: QuerySqlToken) => (await service.db.exists(query)) || null;
  const inState = (id: IntentId, state: string) =>
    sql.type(row)`select from intents where id = ${id} and state = ${state}`;

  async function exitsOf({ wallet }: Trader, leg: 'tp' | 'sl'): Promise<(string | null)[]> {
    const open = await exchangeOf(service).openOrders(wallet);
    if (open.kind !== 'found') throw new Error(open.kind);
    return open.data
      .filter(({ exit, parentOid }) => exit === leg && parentOid === null)
      .map(({ triggerPrice }) => triggerPrice);
  }
  const only = (trader: Trader, price: string, leg: 'tp' | 'sl' = 'sl') =>
    until(
      `only the exit at ${price} rests`,
      async () => {
        const exits = await exitsOf(trader, leg);
        return (exits.length === 1 && exits[0] === price) || null;
      },
      10_000,
    );

  for (const [response, reply] of [
    ['a nonce that is too old', rejection('Invalid nonce: 1700000000000 is too old')],
    ['words that nobody has written down', rejection('Something is not as it should be')],
    ['a fault of a proxy', jsonReply({}, 500)],
  ] as const)
    it(`cancels the exits that were replaced, although its response was ${response}, and before its body expires`, async () => {
      const trader = await service.wallet();
      await trader.post(ORDERS, MARKET);
      await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 });

      instead = { type: 'cancel', reply };
      await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });

      await only(trader, '85000');
      expect(instead).to.equal(null);
    });

  it('lets the commands of the wallet go on meanwhile', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 });

    instead = { type: 'cancel', reply: rejection('Invalid nonce: 1700000000000 is too old') };
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });
    const closed = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(closed.body, JSON.stringify(closed.body)).to.include({ status: 'filled' });
  });

  /** Half-filled, with a stop at 80,000: the venue ends the rest and the stop. Returns its id, once that is recorded. */
  async function endedBracket(trader: Trader, arrange = () => {}): Promise<string> {
    const { body } = await trader.post(ORDERS, { ...HALF_FILLED, stop_loss: 80_000 });
    arrange();
    expect(service.exchange.endOrder(trader.wallet, cloidOf(body.order_id), 'marginCanceled')).to.equal(true);
    await until('the order has ended', async () => {
      await readWallets(service);
      return exists(sql.type(row)`select from orders where id = ${body.order_id} and lifecycle = 'cancelled'`);
    });
    return body.order_id;
  }

  for (const [response, reply] of [
    ['a rejection', rejection('Invalid nonce: 1700000000000 is too old')],
    ['a fault of a proxy', jsonReply({}, 500)],
  ] as const)
    it(`places the exits again that the venue ended with their order, although its first response is ${response}`, async () => {
      const trader = await service.wallet();
      await endedBracket(trader, () => {
        instead = { type: 'order', reply };
      });

      await only(trader, '80000');
      expect(instead).to.equal(null);
    });

  it('places them again although the exchange rejects the repeat of a request that was lost', async () => {
    const trader = await service.wallet();
    const status = { error: 'Order has zero size. asset=1' };
    await endedBracket(trader, () => {
      const next = jsonReply({ status: 'ok', response: { type: 'order', data: { statuses: [status] } } });
      instead = { type: 'order', reply: jsonReply({}, 500), next };
    });

    await only(trader, '80000');
    expect(instead).to.equal(null);
  });

  it('places none again that a list which cannot be read may contain', async () => {
    const trader = await service.wallet();
    areExitsUnread = true;
    const { body } = await trader.post(ORDERS, { ...MARKET, stop_loss: 80_000 });
    await sleep(2_000); // reads may be behind for one
    await readWallets(service);
    areExitsUnread = false;
    const placed = exists(
      sql.type(row)`select from intents where kind = 'exchange/protect' and lane like ${`%${trader.wallet}`}`,
    );
    await until('they are found', async () => {
      await readWallets(service);
      return (await trader.get(`${ORDERS}/${body.order_id}`)).body.trigger_status === 'placed' || null;
    });

    expect(await placed).to.equal(null);
    await only(trader, '80000');
  });

  it('places them again although no response to a no-op would ever arrive', async () => {
    const trader = await service.wallet();
    await endedBracket(trader, () => {
      instead = { type: 'order', reply: jsonReply({}, 500) };
      unheard = 'noop';
    });

    await only(trader, '80000');
  });

  it('does not place them a second time whose first response was lost', async () => {
    const trader = await service.wallet();
    const id = await endedBracket(trader, () => {
      unheard = 'order';
    });

    await only(trader, '80000');
    const hasEnded = sql.type(row)`
      select from intents where kind = 'exchange/protect' and request ->> 'because_of' = ${id} and state = 'succeeded'`;
    await until('the follow-up has ended', () => exists(hasEnded));
    const placed = service.exchange.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'placed' && detail.account === trader.wallet);
    expect(
      placed.filter(({ detail }) => detail.isBuy === false && detail.parent === undefined),
      JSON.stringify(placed),
    ).to.have.length(1);
  });

  it('cancels what a caller names although the first request was lost, long before its body expires', async () => {
    const trader = await service.wallet();
    const { body } = await trader.post(ORDERS, { ...MARKET, order_type: 'limit', price: 50_000 });
    instead = { type: 'cancel', reply: jsonReply({}, 500) };
    const cancelled = await trader.delete(`${ORDERS}/${body.order_id}`);
    expect(cancelled.body, JSON.stringify(cancelled.body)).to.include({ status: 'ok', cancelled_count: 1 });
  });

  for (const [leg, name, when, inOrder] of [
    ['sl', 'stop_loss', 'while the next one was under way', true],
    ['sl', 'stop_loss', 'after the next one had ended', false],
    ['tp', 'take_profit', 'after the next one had ended', false],
  ] as const)
    it(`cancels the ${name} of a command that was found only ${when}, and wants that of the next one`, async () => {
      const trader = await service.wallet();
      await trader.post(ORDERS, MARKET);
      isListHidden = true;
      const prices = leg === 'sl' ? [80_000, 85_000] : [125_000, 120_000];
      const placed = async (price: number | undefined) => {
        const sent = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', [name]: price }, { prefer: 'wait=0' });
        const id = String(sent.headers['intent-id']) as IntentId; // as: the id that was responded
        hidden.add(legCloid(id, leg));
        await until('it is in doubt', () => exists(inState(id, 'in_doubt')));
        return id;
      };
      const sent = [await placed(prices[0]), await placed(prices[1])];
      for (const id of inOrder ? sent : sent.toReversed()) {
        hidden.delete(legCloid(id, leg));
        await until('it has ended', () => exists(inState(id, 'succeeded')), 10_000);
      }
      isListHidden = false;

      await only(trader, String(prices[1]), leg);
      const [of] = await listWantedExits(service.db, 'exvenue', trader.wallet);
      expect(of?.wanted.map((entry) => entry[name])).to.deep.equal([String(prices[1])]);
    });
});
