import { expect } from 'chai';
import { ApiError } from '../../src/kernel/errors.ts';
import { historyPage, isWithin, spanOf } from '../../src/venues/history.ts';
import { leastOf, valuePerUnit } from '../../src/venues/network/portfolio/amounts.ts';
import { namesPair, shownPair } from '../../src/venues/network/portfolio/names.ts';
import { type TradeFacts, violationsOf } from '../../src/venues/trade.ts';

const sound: TradeFacts = {
  pair: { asked: 'BTC-USDC', state: 'allowed', isOpenToAccount: true },
  fault: null,
  minimum: { actual: '10', least: '10', unit: 'USD' },
  account: 'active',
  drawdowns: [{ rule: 'drawdown.intraday', current: '4.99', limit: '5' }],
  leverage: { asked: '40', most: '40' },
  isPriced: true,
  opens: '100',
  caps: [{ rule: 'leverage.pair_max', name: 'BTC', held: '900', limit: '1000' }],
  funds: { needed: '100', available: '100' },
};
const rulesOf = (more: Partial<TradeFacts>) => violationsOf({ ...sound, ...more }).map(({ rule }) => rule);

describe('the rules of a trade', () => {
  it('accept values exactly at their limits', () => {
    expect(violationsOf(sound)).to.deep.equal([]);
  });

  for (const [rule, more] of [
    ['pair.unknown', { pair: { asked: 'X', state: null, isOpenToAccount: true } }],
    ['pair.allowed', { pair: { asked: 'X', state: 'disabled', isOpenToAccount: true } }],
    ['pair.allowed', { pair: { asked: 'X', state: 'reduce_only', isOpenToAccount: true } }],
    ['pair.asset_class', { pair: { asked: 'X', state: 'allowed', isOpenToAccount: false } }],
    ['size.lot', { fault: { rule: 'size.lot', actual: '0', message: '' } }],
    ['order.minimum', { minimum: { actual: '9.99', least: '10', unit: 'USD' } }],
    ['account.status', { account: 'breached' }],
    ['account.status', { account: 'suspended' }],
    ['drawdown.eod', { drawdowns: [{ rule: 'drawdown.eod', current: '5', limit: '5' }] }],
    ['leverage.order_max', { leverage: { asked: '41', most: '40' } }],
    ['leverage.class_max', { caps: [{ rule: 'leverage.class_max', name: 'crypto', held: '901', limit: '1000' }] }],
    ['balance.insufficient', { funds: { needed: '100.01', available: '100' } }],
  ] as const) {
    it(`report ${rule}: ${JSON.stringify(more)}`, () => {
      expect(rulesOf(more as Partial<TradeFacts>)).to.deep.equal([rule]);
    });
  }

  it('allow a reduction in a deprecated pair, whatever the caps', () => {
    const pair = { asked: 'X', state: 'reduce_only', isOpenToAccount: true } as const;
    const caps = [{ rule: 'leverage.portfolio_max', name: 'all', held: '5000', limit: '1000' }];

    expect(rulesOf({ pair, caps, opens: '0' })).to.deep.equal([]);
  });

  it('report every violation, the most severe first', () => {
    const rules = rulesOf({
      account: 'breached',
      minimum: { actual: '1', least: '10', unit: 'USD' },
      funds: { needed: '1', available: '0' },
    });

    expect(rules).to.deep.equal(['order.minimum', 'account.status', 'balance.insufficient']);
  });

  it('convert lots, shares and dollars', () => {
    expect(leastOf('forex', 10_000)).to.deep.equal({ least: '0.0001', unit: 'lots' });
    expect(leastOf('forex', 10_001)).to.deep.equal({ least: '0.01', unit: 'lots' });
    expect(leastOf('equities', 1)).to.deep.equal({ least: '0.01', unit: 'shares' });
    expect(leastOf('crypto', 1)).to.deep.equal({ least: '10', unit: 'USD' });
    expect(valuePerUnit({ tradePair: 'EURUSD', category: 'forex' }, '1.1')).to.equal('110000');
    expect(valuePerUnit({ tradePair: 'USDJPY', category: 'forex' }, null)).to.equal('100000');
    expect(valuePerUnit({ tradePair: 'EURJPY', category: 'forex' }, '160')).to.equal(null);
    expect(valuePerUnit({ tradePair: 'BTCUSDC', category: 'crypto' }, '5')).to.equal('5');
  });
});

describe('names of pairs', () => {
  for (const [id, shown] of [
    ['BTCUSDC', 'BTC-USDC'],
    ['kPEPEUSDC', 'kPEPE-USDC'],
    ['BTC/USDC', 'BTC-USDC'],
    ['EURUSD', 'EUR-USD'],
    ['USDJPY', 'USD-JPY'],
    ['DOGEUSD', 'DOGE-USD'],
    ['AAPL', 'AAPL'],
    ['GOOGL', 'GOOGL'],
  ] as const) {
    it(`show ${id} as ${shown}`, () => {
      expect(shownPair(id)).to.equal(shown);
    });
  }

  it('are accepted in every supported spelling, in upper and lower case', () => {
    for (const spelling of ['BTC-USDC', 'BTC/USDC', 'BTCUSDC', 'BTCUSD', 'BTC'])
      expect(namesPair(spelling, 'BTCUSDC')).to.equal(true);
    for (const spelling of ['btc', 'BTCUSDT', 'ETH', 'B']) expect(namesPair(spelling, 'BTCUSDC')).to.equal(false);
    expect(namesPair('KPEPE', 'kPEPEUSDC')).to.equal(false);
  });
});

describe('pages of a history', () => {
  const entries = Array.from({ length: 7 }, (_, n) => ({ atMs: 10 + Math.floor(n / 2), id: `id${n}`, entry: n }));

  it('are ordered newest first, and the last has no link', async () => {
    const listed: number[] = [];
    let query: Parameters<typeof historyPage>[1] = { limit: 3, pair: 'BTC' };
    for (let turn = 0; turn < 3; turn += 1) {
      const page = await historyPage(
        '/h',
        query,
        [...entries, { atMs: 99 + turn, id: 'new', entry: -1 }].slice(0, turn === 0 ? 7 : 8),
      );
      listed.push(...page.body);
      const next = /<\/h\?([^>]+)>; rel="next"/.exec(page.headers?.Link ?? '')?.[1];
      expect(next === undefined).to.equal(turn === 2);
      query = { ...query, ...Object.fromEntries(new URLSearchParams(next)), limit: 3 };
    }

    expect(listed).to.deep.equal([6, 5, 4, 3, 2, 1, 0]);
    expect(query).to.include({ pair: 'BTC' });
  });

  it('include both bounds', () => {
    const span = spanOf({ from_date: '2026-01-01T00:00:00Z', to_date: '2026-01-01T01:00:00+01:00' });

    expect(span.fromMs).to.equal(span.toMs);
    expect(isWithin(span, span.fromMs)).to.equal(true);
    expect(isWithin(span, span.fromMs + 1)).to.equal(false);
    expect(isWithin(span, span.fromMs - 1)).to.equal(false);
  });

  it('read every form of a time that the contract allows', () => {
    const newYear = Date.UTC(2017, 0);
    for (const from_date of ['2016-12-31T23:59:60Z', '2017-01-01 05:00:00+05', '2016-12-31t18:30:00.000-0530'])
      expect(spanOf({ from_date }), from_date).to.deep.equal({ fromMs: newYear, toMs: null });
  });

  for (const query of [{ from_date: '2026-01-02T00:00:00Z', to_date: '2026-01-01T00:00:00Z' }]) {
    it(`reject ${JSON.stringify(query)}`, () => {
      expect(() => spanOf(query))
        .to.throw(ApiError)
        .with.property('code', 'INVALID_REQUEST');
    });
  }

  for (const cursor of ['', 'x', Buffer.from('abc').toString('base64url'), '1:', ':id1', '-1:id1']) {
    it(`reject the cursor “${cursor}”`, async () => {
      const thrown = await historyPage('/h', { cursor }, entries).catch((error) => error);

      expect(thrown).to.be.instanceOf(ApiError).with.property('code', 'INVALID_REQUEST');
    });
  }

  it('go on behind an entry that has moved', async () => {
    const first = await historyPage('/h', { limit: 3 }, entries);
    const cursor = new URLSearchParams(first.headers?.Link).get('cursor')?.replace(/>.*/s, '') ?? '';
    const moved = entries.map((entry) => (entry.entry === first.body[2] ? { ...entry, atMs: 99 } : entry));

    expect((await historyPage('/h', { cursor }, moved)).body).to.deep.equal([3, 2, 1, 0]);
  });
});
