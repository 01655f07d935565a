import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';

const btc = { name: 'BTC', szDecimals: 5, maxLeverage: 40, marginTableId: 56 };
const matic = { name: 'MATIC', szDecimals: 1, maxLeverage: 20, marginTableId: 20, isDelisted: true };
const meta = (...universe: object[]) => ({ universe, marginTables: [], collateralToken: 0 });

describe('the assets of an exchange that shows none, or that cannot be read', () => {
  alone();

  /** A venue that has read its list six minutes ago, with how often it asks for another one. */
  async function withOldList(...answers: [status: number, body?: object][]) {
    const venue = exvenue({ url: VENUE, network: 'mainnet' });
    nock(VENUE).post('/info', { type: 'meta' }).reply(200, meta(btc));
    await venue.asset('BTC');
    const asked: number[] = [];
    nock(VENUE)
      .persist()
      .post('/info', { type: 'meta' })
      .reply(() => {
        asked.push(performance.now());
        return answers[Math.min(asked.length, answers.length) - 1] ?? [500];
      });
    later(6 * 60_000);
    return { venue, asked };
  }

  const now = performance.now.bind(performance);
  let aheadMs = 0;
  const later = (ms: number) => {
    aheadMs += ms;
  };
  beforeEach(() => {
    aheadMs = 0;
    performance.now = () => now() + aheadMs;
  });
  afterEach(() => {
    performance.now = now;
  });

  for (const [what, answer] of [
    ['an error', [500]],
    ['a new asset of an unknown form', [200, meta(btc, { name: 'ODD' })]],
  ] as [string, [number, object?]][])
    it(`are not read again for every order, at the cost of everybody's exits, but those of before serve: ${what}`, async () => {
      const { venue, asked } = await withOldList(answer);

      for (let order = 0; order < 20; order += 1) {
        expect(await venue.asset('BTC')).to.nested.include({ 'data.id': 0 });
        await sleep(5);
      }

      expect(asked).to.have.length(1);
    });

  it('are not read again for every unknown name', async () => {
    const { venue, asked } = await withOldList([500]);

    for (let order = 0; order < 5; order += 1)
      expect(await venue.asset('NOSUCH')).to.have.property('kind', 'unreadable');

    expect(asked).to.have.length(1);
  });

  it('are read again after a while', async () => {
    const { venue, asked } = await withOldList([500], [200, meta(btc, matic)]);
    await venue.asset('BTC');
    await sleep(20);

    later(31_000);
    await venue.asset('BTC');
    await sleep(20);

    expect(await venue.asset('MATIC')).to.nested.include({ 'data.id': 1 });
    expect(asked).to.have.length(2);
  });
});
