import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { alone } from '../support/alone.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const VENUE = 'http://exchange.test';

const btc = { name: 'BTC', szDecimals: 5, maxLeverage: 40, marginTableId: 56 };
const matic = { name: 'MATIC', szDecimals: 1, maxLeverage: 20, marginTableId: 20, isDelisted: true };
const meta = (...universe: object[]) => ({ universe, marginTables: [], collateralToken: 0 });

describe('the assets of an exchange, if none are shown or some cannot be read', () => {
  alone();
  const { pass, skip } = stoppedClock();
  /** What was begun in the background happens. */
  const settled = () => pass(100);

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
    skip(6 * 60_000);
    return { venue, asked };
  }

  for (const [what, answer] of [
    ['an error', [500]],
    ['a list of an unknown form', [200, meta({ symbol: 'BTC', decimals: 5 })]],
    ['a new asset of an unknown form', [200, meta(btc, { name: 'ODD' })]],
    ['a list in another order', [200, meta(matic, btc)]],
    ['a list without a known asset', [200, meta(matic)]],
    ['a known asset of an unknown form', [200, meta({ name: 'BTC' }, matic)]],
  ] as [string, [number, object?]][])
    it(`are not read again for every order, which would cost the budget of exits; the earlier list is used: ${what}`, async () => {
      const { venue, asked } = await withOldList(answer);

      for (let order = 0; order < 20; order += 1) {
        expect(await venue.asset('BTC')).to.nested.include({ 'data.id': 0 });
        await settled();
      }

      expect(asked).to.have.length(1);
    });

  it('stay tradable after a day, except the one whose row has an unknown form; the others keep their numbers', async () => {
    const { venue } = await withOldList([200, meta(btc, { name: 'ODD' }, matic, { szDecimals: 'two' })]);
    skip(25 * 3_600_000);

    const [known, odd, next] = [await venue.asset('BTC'), await venue.asset('ODD'), await venue.asset('MATIC')];
    const listed = await venue.assets();

    expect(known).to.nested.include({ kind: 'found', 'data.id': 0 });
    expect(odd).to.include({ kind: 'unreadable' });
    expect(next).to.nested.include({ kind: 'found', 'data.id': 2 });
    expect(listed).to.nested.include({ kind: 'found', 'data.rows.length': 2 });
    expect(listed).to.have.deep.nested.property('data.unread', ['ODD', null]);
    expect(await venue.asset('NOSUCH'), 'it may be the one without a name').to.include({ kind: 'unreadable' });
  });

  it('are those of the last complete list for a day; a new asset is found in the newer list', async () => {
    const { venue } = await withOldList([200, meta({ name: 'BTC' }, matic)]);
    await venue.asset('BTC');
    await settled();

    expect(await venue.asset('BTC')).to.nested.include({ kind: 'found', 'data.id': 0 });
    expect(await venue.asset('MATIC')).to.nested.include({ kind: 'found', 'data.id': 1 });
    expect(await venue.asset('NOSUCH')).to.deep.equal({ kind: 'absent' });
  });

  it('get other numbers only if the exchange goes on saying so, as a testnet that starts anew does', async () => {
    const { venue, asked } = await withOldList([200, meta(matic, btc)]);
    const numbers: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      const asset = await venue.asset('BTC');
      numbers.push(asset.kind === 'found' && asset.data.id);
      await settled();
      skip(16_000);
    }

    expect(numbers).to.deep.equal([0, 0, 0]);
    expect(await venue.asset('BTC')).to.nested.include({ 'data.id': 1 });
    expect(asked).to.have.length(2);
  });

  it('keep their numbers if a part of the exchange says otherwise now and then', async () => {
    const wrong = meta(matic, btc);
    const { venue, asked } = await withOldList([200, wrong], [200, meta(btc)], [200, wrong]);
    const numbers: unknown[] = [];
    for (const seconds of [60, 360, 10, 10]) {
      const asset = await venue.asset('BTC');
      numbers.push(asset.kind === 'found' && asset.data.id);
      await settled();
      skip(seconds * 1_000);
    }

    expect(asked).to.have.length(3);
    expect(numbers).to.deep.equal([0, 0, 0, 0]);
  });

  it('do not report another name as absent only because one cannot be read', async () => {
    const { venue } = await withOldList([200, meta(btc, { name: 'ODD' })]);
    skip(25 * 3_600_000);

    expect(await venue.asset('NOSUCH')).to.deep.equal({ kind: 'absent' });
  });

  it('of a builder dex are tradable although another dex cannot be read; no account of that dex is left out silently', async () => {
    const venue = exvenue({ url: VENUE, network: 'mainnet' });
    nock(VENUE)
      .post('/info', { type: 'perpDexs' })
      .reply(200, [null, { fullName: 'odd' }, { name: 'xyz' }]);
    nock(VENUE)
      .post('/info', { type: 'meta', dex: 'xyz' })
      .reply(200, meta({ ...btc, name: 'xyz:GOLD' }));

    expect(await venue.asset('xyz:GOLD')).to.nested.include({ kind: 'found', 'data.id': 120_000 });
    expect(await venue.dexes()).to.include({ kind: 'unreadable' });
    expect(await venue.accounts(`0x${'ab'.repeat(20)}`)).to.include({ kind: 'unreadable' });
  });

  it('of a builder dex follow the number of the dex', async () => {
    const venue = exvenue({ url: VENUE, network: 'testnet' });
    let dexes = [null, { name: 'abc' }, { name: 'xyz' }];
    nock(VENUE)
      .persist()
      .post('/info', { type: 'perpDexs' })
      .reply(() => [200, dexes]);
    nock(VENUE)
      .persist()
      .post('/info', { type: 'meta', dex: 'xyz' })
      .reply(200, meta({ ...btc, name: 'xyz:GOLD' }));
    expect(await venue.asset('xyz:GOLD')).to.nested.include({ 'data.id': 120_000 });

    dexes = [null, { name: 'xyz' }];
    for (let read = 0; read < 2; read += 1) {
      skip(6 * 60_000);
      await venue.asset('xyz:GOLD');
      await settled();
    }

    expect(await venue.asset('xyz:GOLD')).to.nested.include({ 'data.id': 110_000 });
  });

  it('of spot are those whose tokens can be read', async () => {
    const venue = exvenue({ url: VENUE, network: 'mainnet' });
    const token = (name: string, index: number) => ({ name, szDecimals: 2, index });
    const pair = (name: string, ...tokens: number[]) => ({ name, tokens, index: Number(name.slice(1)) });
    nock(VENUE)
      .post('/info', { type: 'spotMeta' })
      .reply(200, {
        tokens: [token('USDC', 0), { name: 'ODD', index: 7 }, token('HYPE', 150)],
        universe: [pair('@7', 7, 0), pair('@107', 150, 0)],
      });

    expect(await venue.asset('@107')).to.nested.include({ kind: 'found', 'data.base': 'HYPE' });
    expect(await venue.asset('@7')).to.include({ kind: 'unreadable' });
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
    await settled();

    skip(31_000);
    await venue.asset('BTC');

    await settled();

    expect(await venue.asset('MATIC')).to.nested.include({ 'data.id': 1 });
    expect(asked).to.have.length(2);
  });
});
