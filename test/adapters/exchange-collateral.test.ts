import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'aB'.repeat(20)}`;

const open = (): Exvenue => exvenue({ url: VENUE, network: 'mainnet' });
const question = (body: object) => nock(VENUE).post('/info', { user: USER.toLowerCase(), ...body });

describe('reading what an account may use at the exchange', () => {
  alone();

  it('computes free spot money of a portfolio-margin account from what is held, never above the total', async () => {
    const recorded = { coin: 'USDC', token: 0, total: '13967.94', hold: '-5.92', entryNtl: '0.0' };
    question({ type: 'spotClearinghouseState' }).reply(200, {
      balances: [
        { ...recorded, spotHold: '0.0' },
        { ...recorded, coin: 'HYPE', token: 150 },
        { ...recorded, coin: 'PURR', token: 1, spotHold: '67.94' },
      ],
    });

    const balances = await open().spotBalances(USER);

    expect(balances).to.nested.include({
      'data[0].free': '13967.94',
      'data[1].free': '13967.94',
      'data[2].free': '13900',
      'data[0].hold': '-5.92',
    });
  });

  it('reads the leverage of an account in an asset, and what an address is', async () => {
    const venue = open();
    const asset = { user: USER, coin: 'ETH', leverage: { type: 'cross', value: 3 }, markPx: '4000.0' };
    question({ type: 'activeAssetData', coin: 'ETH' }).reply(200, asset);
    question({ type: 'activeAssetData', coin: 'ETH' }).reply(200, 'null');
    const role = (answer: object) => question({ type: 'userRole' }).reply(200, answer);
    role({ role: 'user' });
    role({ role: 'agent', data: { user: USER } });
    role({ role: 'oracle' });

    expect(await venue.leverage(USER, 'ETH')).to.deep.equal({ kind: 'found', data: 3 });
    expect(await venue.leverage(USER, 'ETH')).to.include({ kind: 'unreadable' });
    expect(await venue.role(USER)).to.deep.equal({ kind: 'found', data: { kind: 'account' } });
    expect(await venue.role(USER)).to.deep.equal({
      kind: 'found',
      data: { kind: 'agent', master: USER.toLowerCase() },
    });
    expect(await venue.role(USER)).to.include({ kind: 'unreadable' });
  });
});
