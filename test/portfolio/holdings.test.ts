import { expect } from 'chai';
import nock from 'nock';
import { ApiError } from '../../src/kernel/errors.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { leverageOf, readHoldings, usdcOf } from '../../src/venues/exchange/portfolio/holdings.ts';
import { findBalance } from '../../src/venues/exchange/portfolio/read-model.ts';
import { venueReads } from '../../src/venues/reads.ts';
import { accountWorth, builderMeta, twoDollars } from '../fixtures/exchange/composed.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'ab'.repeat(20)}`;

/**
 * What the exchange has: the accounts on its own dex and on the builder dex, what its `meta` says, the prices of spot pairs, and how the wallet
 * holds its collateral.
 */
type World = {
  main?: object;
  account: object;
  meta?: object;
  mids?: Record<string, string>;
  spot?: object[];
  mode?: string;
  spotMeta?: object;
};

describe('what a wallet holds at the exchange', () => {
  alone();

  /** The reads of a process, and what it asked for. */
  function open({ main = accountWorth('1000.0', '500.0'), account, meta, mids, spot = [], mode, spotMeta }: World) {
    const answers: Record<string, unknown> = {
      perpDexs: [null, { name: 'flx' }],
      userAbstraction: JSON.stringify(mode ?? 'disabled'),
      clearinghouseState: main,
      'clearinghouseState flx': account,
      spotClearinghouseState: { balances: spot },
      'meta flx': meta,
      spotMeta: spotMeta ?? twoDollars,
      allMids: mids,
    };
    const asked: string[] = [];
    nock(VENUE)
      .persist()
      .post('/info')
      .reply((_, body) => {
        const { type, dex } = body as { type: string; dex?: string }; // as: of our own client
        const name = [type, dex].filter(Boolean).join(' ');
        asked.push(name);
        return answers[name] === undefined ? [500] : [200, answers[name] as object];
      });
    const venue = exvenue({ url: VENUE, network: 'mainnet' });
    return { asked, reads: venueReads({} as never, venue, 5_000) }; // as: only the exchange is read
  }

  it('counts at the price of the collateral of each dex', async () => {
    const usdc = { coin: 'USDC', token: 0, total: '10.0', hold: '4.0', entryNtl: '0.0' };
    const usdh = { coin: 'USDH', token: 360, total: '2.0', hold: '0.0', entryNtl: '0.0' };
    const world = {
      account: accountWorth('200.0', '400.0'),
      meta: builderMeta(360),
      mids: { '@230': '0.99' },
      spot: [usdc, usdh],
    };

    const holdings = await readHoldings(open(world).reads, USER);
    const linked = await findBalance(open(world).reads, USER);

    expect(holdings.balance).to.equal('1205.98'); // 1000 + 200 × 0.99 + 6 + 2 × 0.99
    expect(leverageOf(holdings.accounts)).to.equal('0.74791318'); // (500 + 396) / (1000 + 198)
    expect(linked).to.equal('1205.98');
  });

  const NOTHING = accountWorth('0.0', '0.0');
  const usdc = (total: string, hold: string) => ({ coin: 'USDC', token: 0, total, hold, entryNtl: '0.0' });

  for (const [name, world, balance, leverage] of [
    // total less what is available after maintenance is 1/80 of a position of 0.02034 at 80,256: the total has its loss
    ['beside a position', { main: accountWorth('300.509522', '1632.40704') }, '891.55684101', '1.83096238'],
    ['beside a resting order', { main: NOTHING }, '891.55684101', '0'],
  ] as const) {
    it(`is the whole spot balance of a unified account ${name}`, async () => {
      const spot = [usdc('891.55684101', '314.896004')];

      const holdings = await readHoldings(
        open({ account: NOTHING, spot, mode: 'unifiedAccount', ...world }).reads,
        USER,
      );

      expect(holdings.balance).to.equal(balance);
      expect(leverageOf(holdings.accounts)).to.equal(leverage);
    });
  }

  it('of a unified account is less what it owes, and backed by every collateral', async () => {
    const spot = [usdc('-100.0', '0.0'), { coin: 'USDH', token: 360, total: '1000.0', hold: '40.0', entryNtl: '0.0' }];
    const world = { main: NOTHING, account: accountWorth('50.0', '500.0'), meta: builderMeta(360), spot };

    const { reads } = open({ ...world, mids: { '@230': '0.99' }, mode: 'portfolioMargin' });
    const holdings = await readHoldings(reads, USER);

    expect(holdings.balance).to.equal('890');
    expect(leverageOf(holdings.accounts)).to.equal('0.55617977');
  });

  it('backs what is borrowed by all that a portfolio-margin account has', async () => {
    const spot = [usdc('-100.0', '0.0'), { coin: 'USDH', token: 360, total: '1000.0', hold: '0.0', entryNtl: '0.0' }];
    const world = { main: accountWorth('50.0', '500.0'), account: NOTHING, spot, mids: { '@230': '0.99' } };

    const holdings = await readHoldings(open({ ...world, mode: 'portfolioMargin' }).reads, USER);

    expect(leverageOf(holdings.accounts)).to.equal('0.56179775'); // 500 / (990 - 100)
  });

  for (const value of ['0.0', '-12.5'])
    it(`shows no leverage of 0 for positions that stand against ${value}`, async () => {
      const { reads } = open({ main: accountWorth(value, '500.0'), account: NOTHING });

      const { accounts } = await readHoldings(reads, USER);

      expect(() => leverageOf(accounts))
        .to.throw(ApiError)
        .with.property('code', 'VENUE_UNREADABLE');
    });

  it('is not computed while it is not known how the account holds its collateral', async () => {
    const { reads } = open({ account: NOTHING, spot: [usdc('10.0', '4.0')], mode: 'aNewMode' });

    const told = await readHoldings(reads, USER).catch((error: unknown) => error);

    expect(told).to.be.an.instanceOf(ApiError).and.include({ code: 'VENUE_UNREADABLE' });
  });

  it('needs no mode of an account that can withdraw', async () => {
    const main = { ...accountWorth('1000.0', '500.0'), withdrawable: '500.0' };
    const { reads, asked } = open({ main, account: NOTHING, spot: [usdc('10.0', '4.0')] });

    expect((await readHoldings(reads, USER)).balance).to.equal('1006');
    expect(asked).not.to.include('userAbstraction');
  });

  for (const [name, world] of [
    ['has no price', { meta: builderMeta(360), mids: { BTC: '100000' } }],
    ['is no known token', { meta: builderMeta(361), mids: { '@230': '0.99' } }],
    ['is not named', { meta: { ...builderMeta(0), collateralToken: undefined }, mids: { '@230': '0.99' } }],
    ['cannot be read', { mids: { '@230': '0.99' } }],
    ['has a price that cannot be read', { meta: builderMeta(360) }],
  ] as const) {
    it(`is not computed where a collateral ${name}`, async () => {
      const { reads } = open({ account: accountWorth('200.0', '0.0'), ...world });

      const told = await readHoldings(reads, USER).catch((error: unknown) => error);
      const linked = await findBalance(reads, USER);

      expect(told).to.be.an.instanceOf(ApiError).and.include({ code: 'VENUE_UNREADABLE' });
      expect(linked).to.equal(null);
    });
  }

  it('does not count a token that only has the name of another one, nor a price in such a token', async () => {
    const token = (coin: string, number: number) => ({
      coin,
      token: number,
      total: '900.0',
      hold: '0.0',
      entryNtl: '0.0',
    });
    const tokens = [
      ...twoDollars.tokens,
      { name: 'USDC', szDecimals: 2, index: 900 },
      { name: 'X', szDecimals: 2, index: 901 },
    ];
    const universe = [{ name: '@800', tokens: [901, 900], index: 800 }, ...twoDollars.universe];
    const spot = [token('USDC', 900), token('USDH', 902), token('X', 901), usdc('10.0', '4.0')];
    const { reads } = open({
      account: NOTHING,
      spot,
      mids: { '@230': '0.5', '@800': '7' },
      spotMeta: { tokens, universe },
    });

    const balances = await reads.spotBalances(USER);

    expect((await readHoldings(reads, USER)).balance).to.equal('1006');
    expect(balances.kind === 'found' && usdcOf(balances.data)).to.include({ total: '10', free: '6' });
  });

  describe('where a spot pair cannot be read', () => {
    const spotMeta = { ...twoDollars, universe: [...twoDollars.universe, { name: '@7', tokens: [7, 0], index: 7 }] };
    const world = { account: NOTHING, mids: { '@230': '0.5' }, spotMeta };
    const held = (coin: string, token: number) => ({ coin, token, total: '2.0', hold: '0.0', entryNtl: '0.0' });

    it('counts the tokens whose pairs can be', async () => {
      const { reads } = open({ ...world, spot: [usdc('10.0', '0.0'), held('USDH', 360)] });

      expect((await readHoldings(reads, USER)).balance).to.equal('1011');
    });

    it('is not computed without a token that may have that pair', async () => {
      const { reads } = open({ ...world, spot: [usdc('10.0', '0.0'), held('ODD', 7)] });

      const told = await readHoldings(reads, USER).catch((error: unknown) => error);

      expect(told).to.be.an.instanceOf(ApiError).and.include({ code: 'VENUE_UNREADABLE' });
    });
  });

  for (const [name, world, balance] of [
    ['without money of the wallet', { account: accountWorth('0.0', '0.0') }, '1000'],
    ['whose collateral is USDC', { account: accountWorth('250.5', '0.0'), meta: builderMeta(0) }, '1250.5'],
  ] as const) {
    it(`needs no price for a dex ${name}`, async () => {
      const { reads, asked } = open(world);

      expect((await readHoldings(reads, USER)).balance).to.equal(balance);
      expect(asked).not.to.include('allMids');
    });
  }
});
