import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/adapters/exchange/index.ts';
import type { Exvenue } from '../../src/adapters/exchange/types.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const recorded = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(new URL(`../fixtures/exchange/${name}.json`, import.meta.url), 'utf8'));

type Reads = { responses: { request: { type: string; user?: string }; response: unknown }[] };
type Rejections = { actions: { text: string; of: 'updateLeverage' | 'order' }[]; items: string[] };

const reads = await recorded<Reads>('reads');
const rejections = await recorded<Rejections>('rejections');

describe('recorded responses of the exchange', () => {
  alone();

  /** Serves a recorded response and reads it. */
  const reading = async <T>(type: string, read: (venue: Exvenue, user: string) => Promise<T>) => {
    const found = reads.responses.find(({ request }) => request.type === type);
    if (!found) throw new Error(`no recorded ${type}`);
    nock(VENUE).post('/info').reply(200, JSON.stringify(found.response), { 'content-type': 'application/json' });
    const result = await read(exvenue({ url: VENUE, network: 'mainnet' }), found.request.user ?? '');
    return { result, response: found.response };
  };

  it('list open orders with their triggers: the take-profit, the stop-loss and their parent', async () => {
    const { result } = await reading('frontendOpenOrders', (venue, user) => venue.openOrders(user));

    expect(result).to.have.property('kind', 'found');
    const orders = result.kind === 'found' ? result.data : [];
    expect(orders.map(({ oid, exit, triggerPrice }) => [oid, exit, triggerPrice])).to.deep.equal([
      [3_184_595_907, 'tp', '10.004'],
      [3_184_595_906, 'sl', '9.995'],
      [3_184_595_905, null, null],
    ]);
    expect(orders[2]?.children.map(({ oid }) => oid)).to.deep.equal([3_184_595_906, 3_184_595_907]);
  });

  it('list past orders, rejected ones with the reason of a rejection at once', async () => {
    const { result, response } = await reading('historicalOrders', (venue, user) => venue.historicalOrders(user));

    const words = (response as { status: string }[]).map(({ status }) => status); // as: recorded
    expect(result).to.have.nested.property('data').of.length(words.length);
    const records = result.kind === 'found' ? result.data : [];
    expect(records.map(({ word }) => word)).to.deep.equal(words);
    expect(records[0]).to.deep.include({ state: 'rejected' }).and.nested.include({ 'rejected.slug': 'no_match' });
    expect(records.at(-1)).to.include({ state: words.at(-1) === 'canceled' ? 'cancelled' : records.at(-1)?.state });
  });

  it('show a budget of actions beyond 32 bits', async () => {
    const { result } = await reading('userRateLimit', (venue, user) => venue.actionBudget(user));

    expect(result).to.deep.include({
      kind: 'found',
      data: { used: 36_589_831_368, cap: 170_043_731_737, surplus: 0, volumeUsd: '170043721737.450012207' },
    });
  });

  it('list agents, markets and prices', async () => {
    const agents = await reading('extraAgents', (venue, user) => venue.agents(user));
    const assets = await reading('meta', (venue) => venue.assets());
    const mids = await reading('allMids', (venue) => venue.mids());

    expect(agents.result).to.have.nested.property('data').of.length(2);
    expect(assets.result).to.deep.nested.include({ 'data[0].coin': 'BTC', 'data[0].id': 0, 'data[0].sizeDecimals': 5 });
    expect(mids.result).to.deep.nested.include({ 'data.BTC': '30135', 'data.ATOM': '9.3384' });
  });
});

describe('recorded rejections of the exchange', () => {
  alone();

  const signer = exvenue({ url: VENUE, network: 'mainnet' }).signerOf('c'.repeat(64));
  const order = { asset: 1, side: 'buy', price: '100', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;
  const ACTIONS = {
    order: { kind: 'place', orders: [order], grouping: 'none' },
    updateLeverage: { kind: 'set_leverage', asset: 1, leverage: 3, isCross: true },
  } as const;
  const posted = async (of: keyof typeof ACTIONS, response: unknown) => {
    nock(VENUE).post('/exchange').reply(200, JSON.stringify(response), { 'content-type': 'application/json' });
    const body = await signer?.sign(structuredClone(ACTIONS[of]) as never, { nonce: 1 }); // as: of one of its shapes
    return exvenue({ url: VENUE, network: 'mainnet' }).post(String(body), { firstSend: true });
  };

  for (const { text, of } of rejections.actions) {
    it(`reject a whole action: ${text}`, async () => {
      const result = await posted(of, { status: 'err', response: text });

      expect(result).to.have.property('kind', 'rejected');
      expect(result, 'the reason is known').to.have.property('slug').that.does.not.equal('rejected_by_venue');
    });
  }

  for (const text of rejections.items) {
    it(`reject an item: ${text}`, async () => {
      const result = await posted('order', {
        status: 'ok',
        response: { type: 'order', data: { statuses: [{ error: text }] } },
      });

      expect(result).to.have.property('kind', 'rejected');
      expect(result, 'the reason is known').to.have.property('slug').that.does.not.equal('rejected_by_venue');
    });
  }
});
