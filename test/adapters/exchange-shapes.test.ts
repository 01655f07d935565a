import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import nock from 'nock';
import type { ReadResult } from '../../src/kernel/upstream-result.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { fillsOf } from '../../src/venues/exchange/portfolio/history.ts';
import { accountModes, accountWorth, webData2 } from '../fixtures/exchange/composed.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'1'.repeat(40)}`;

/** A response in the venue's shape, with the source of its facts beside it. */
const fixture = async (name: string) =>
  JSON.parse(await readFile(new URL(`../fixtures/exchange/${name}.json`, import.meta.url), 'utf8'));

const responding = (type: string, response: unknown) => {
  nock(VENUE)
    .post('/info', (body) => body.type === type)
    .reply(200, JSON.stringify(response));
  return exvenue({ url: VENUE, network: 'mainnet' });
};

const dataOf = <T>(result: ReadResult<T>): T => {
  if (result.kind !== 'found') throw new Error(JSON.stringify(result));
  return result.data;
};

describe('responses in the shapes of the real exchange', () => {
  alone();

  it('executions of every kind of market are read; perpetuals alone have positions, and a counterparty is not liquidated', async () => {
    const { request, response } = await fixture('fills');

    const fills = dataOf(await responding(request.type, response).recentFills(USER));

    expect(fills).to.have.length(response.length);
    expect(fillsOf(fills, undefined).map(({ coin }) => coin)).to.deep.equal(['USUAL', 'SOL', 'xyz:TSLA', 'SUI', 'SUI']);
    expect(fills.filter(({ isLiquidation }) => isLiquidation)).to.deep.equal([]);
    expect(fills.at(-1)).to.include({ tradeId: null, startPosition: '1000' });
  });

  it('a market order with exits: the order has a number, its exits have none yet', async () => {
    const { response } = await fixture('market-order-with-exits');
    nock(VENUE).post('/exchange').reply(200, response);
    const venue = exvenue({ url: VENUE, network: 'mainnet' });
    const terms = { asset: 1, side: 'buy', price: '1', size: '1', reduceOnly: false, timeInForce: 'ioc' } as const;
    const body = await venue
      .signerOf(`0x${'1'.repeat(64)}`)
      ?.sign({ kind: 'place', orders: [terms, terms, terms], grouping: 'with_exits' }, { nonce: 1 });

    const posted = await venue.post(String(body), { firstSend: true });

    expect(posted).to.nested.include({ kind: 'accepted', 'data.items[0].oid': 500000000010 });
    expect(posted).to.nested.include({ 'data.items[1].kind': 'waiting_for_trigger' });
  });

  it('a trigger that may open a position says so', async () => {
    const { request, response } = await fixture('trigger-without-reduce-only');

    const [order] = dataOf(await responding(request.type, response).openOrders(USER));

    expect(order).to.include({ exit: 'sl', triggerPrice: '90000', reduceOnly: false });
  });

  it('a unified account: its mode, nothing withdrawable, and its free balance in spot', async () => {
    const { mode, perps, spot } = await fixture('unified-account');

    expect(dataOf(await responding('userAbstraction', mode).accountMode(USER))).to.equal('unified');
    expect(dataOf(await responding('clearinghouseState', perps).account(USER)).withdrawable).to.equal('0');
    expect(dataOf(await responding('spotClearinghouseState', spot).spotBalances(USER))[0]?.free).to.equal('14.5');
  });

  it('an account is read although a position has an unknown form: coin and size suffice', async () => {
    const read = (...positions: object[]) => {
      const assetPositions = positions.map((position) => ({ type: 'oneWay', position }));
      return responding('clearinghouseState', { ...accountWorth('1', '1'), assetPositions }).account(USER);
    };
    const odd = { coin: 'BTC', szi: '0.5', leverage: { type: 'portfolio' } };

    const [btc, eth] = dataOf(await read(odd, { coin: 'ETH', szi: '-1.0', positionValue: '3000.0' })).positions;

    expect(btc).to.include({ size: '0.5', positionValue: null });
    expect(eth).to.include({ size: '-1', positionValue: '3000' });
    expect(await read(odd, { coin: 'ETH' }), 'a position without its size').to.have.property('kind', 'unreadable');
  });

  it('how an account holds its money: every word that the venue and its public SDK name, and no other', async () => {
    const { request, responses } = await fixture('account-modes');
    const modeFor = (word: unknown) => responding(request.type, word).accountMode(USER);

    expect(responses).to.include.keys(...Object.keys(accountModes));
    for (const [word, mode] of Object.entries(responses))
      expect(await modeFor(word), word).to.deep.equal({ kind: 'found', data: mode });
    for (const word of ['unifiedAccount2', '', null, {}])
      expect(await modeFor(word), JSON.stringify(word)).to.have.property('kind', 'unreadable');
  });

  it('the agent without a name; none is absent, anything else unreadable', async () => {
    const { response } = await fixture('unnamed-agent');

    expect(dataOf(await responding('webData2', response).unnamedAgent(USER))).to.deep.equal({
      address: response.agentAddress.toLowerCase(),
      name: '',
      validUntilMs: response.agentValidUntil,
    });
    const none = await responding('webData2', webData2).unnamedAgent(USER);
    expect(none).to.deep.equal({ kind: 'absent' });
    const others = { ...webData2, user: `0x${'2'.repeat(40)}` };
    for (const odd of [{}, others, { ...webData2, agentAddress: 7 }, { ...webData2, agentAddress: 'none' }])
      expect((await responding('webData2', odd).unnamedAgent(USER)).kind).to.equal('unreadable');
  });
});
