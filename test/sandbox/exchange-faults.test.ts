import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { magicSizes } from '../../src/sandbox/exchange/index.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import {
  act,
  assetOf,
  closeExchange,
  control,
  type Exchange,
  effectsOf,
  foundOf,
  heldBy,
  itemsOf,
  newCloid,
  newSigner,
  openExchange,
  order,
  place,
} from './exchange.ts';

describe('faults of the sandbox exchange', () => {
  let exchange: Exchange;

  beforeEach(async () => {
    exchange = await openExchange();
  });

  afterEach(() => closeExchange(exchange));

  const buy = (cloid: string, terms = {}) =>
    act(exchange, { kind: 'place', orders: [order({ timeInForce: 'ioc', cloid })], grouping: 'none' }, terms);

  for (const [kind, response, done] of [
    ['reject', 'rejected', false],
    ['status_500', 'unknown', false],
    ['reset', 'unknown', false],
    ['hang', 'unknown', false],
    ['html_200', 'unknown', false],
    ['accept_then_drop', 'unknown', true],
    ['late', 'unknown', true],
    ['cut_json', 'unknown', true],
  ] as const satisfies [FaultKind, string, boolean][]) {
    it(`${kind}: ${response}, and the order is ${done ? '' : 'not '}executed`, async () => {
      const cloid = newCloid();
      await control(exchange, 'faults', { kind, route: '/exchange', times: 1, delayMs: 400 });

      const data = await buy(cloid, { timeoutMs: 150 });
      const found = await exchange.venue.orderStatus(exchange.wallet.address, cloid);

      expect(data).to.include({ kind: response });
      expect(found.kind).to.equal(done ? 'found' : 'absent');
      expect(effectsOf(exchange, cloid)).to.deep.equal(done ? ['placed', 'filled'] : []);
    });
  }

  it('return 429 as often as scripted, for reads and writes', async () => {
    await control(exchange, 'throttle', { times: 1 });
    const cloid = newCloid();

    const rejected = await buy(cloid);

    expect(rejected).to.include({ kind: 'rejected', slug: 'rate_limited', retryAfterS: 10 });
    expect(effectsOf(exchange, cloid)).to.deep.equal([]);
  });

  it('leave an order in flight invisible until it is executed', async () => {
    const slow = await openExchange({ processingMs: 150 });
    const cloid = newCloid();
    const sent = place(slow, { timeInForce: 'ioc', cloid });
    await new Promise((resolve) => setTimeout(resolve, 60));

    const inFlight = await slow.venue.orderStatus(slow.wallet.address, cloid);
    await sent;
    const after = await slow.venue.orderStatus(slow.wallet.address, cloid);
    await closeExchange(slow);

    expect([inFlight.kind, after.kind]).to.deep.equal(['absent', 'found']);
  });

  it('send nothing past its deadline', async () => {
    const body = await exchange.wallet.sign({ kind: 'noop' }, { nonce: Date.now() });

    const late = await exchange.venue.post(body, { firstSend: true, notAfter: Date.now() - 1 });

    expect(late).to.include({ kind: 'unreachable' });
    expect(exchange.upstream.ledger.entries()).to.deep.equal([]);
  });

  it('are available to partners too, by magic sizes', async () => {
    const cloids = Object.fromEntries(magicSizes.map(({ does }) => [does, newCloid()]));
    const responses: Record<string, string> = {};
    for (const { size, does } of magicSizes) {
      const response = await place(exchange, { size, timeInForce: 'ioc', cloid: cloids[does] ?? '' });
      responses[does] = response.kind === 'rejected' ? response.slug : response.kind;
      if (does === 'throttle') exchange = { ...exchange, venue: (await openAnother(exchange)).venue };
    }

    expect(responses).to.deep.equal({
      reject: 'insufficient_margin',
      throttle: 'rate_limited',
      drop: 'unknown',
      half: 'accepted',
    });
    expect(effectsOf(exchange, cloids.drop ?? '')).to.deep.equal(['placed', 'filled']);
    expect(await heldBy(exchange)).to.equal('0.07545');
    expect(await control(exchange, 'magic', {}, 'POST')).to.deep.equal({ error: 'no such route' });
  });

  /** Simulates another process: a 429 halts the one that received it. */
  const openAnother = async (known: Exchange) => {
    const { exvenue } = await import('../../src/venues/exchange/adapter/index.ts');
    return { venue: exvenue({ url: known.upstream.url, network: 'testnet' }) };
  };

  it('keep the ledger in a file that outlives the exchange', async () => {
    const folder = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-exvenue-`));
    const ledgerFile = join(folder, 'ledger.jsonl');
    const first = await openExchange({ ledgerFile });
    const cloid = newCloid();
    itemsOf(await place(first, { cloid, price: '99000' }));
    await closeExchange(first);

    const lines = (await readFile(ledgerFile, 'utf8')).trim().split('\n');
    const second = await openExchange({ ledgerFile });
    const kept = effectsOf(second, cloid);
    await closeExchange(second);
    await rm(folder, { recursive: true });

    expect(lines.map((line) => JSON.parse(line).kind)).to.deep.equal(['action', 'placed']);
    expect(kept).to.deep.equal(['placed']);
  });
});

describe('reads of the sandbox exchange', () => {
  let exchange: Exchange;

  beforeEach(async () => {
    exchange = await openExchange();
  });

  afterEach(() => closeExchange(exchange));

  it('list its own assets and those of builder dexes, spot pairs, and delisted assets', async () => {
    const [btc, tesla, matic, spot] = await Promise.all(
      ['BTC', 'xyz:TSLA', 'MATIC', 'PURR/USDC'].map((coin) => assetOf(exchange, coin)),
    );

    expect(btc).to.include({ id: 1, sizeDecimals: 5, maxLeverage: 40, isDelisted: false, kind: 'perp' });
    expect(tesla).to.include({ id: 110_000, dex: 'xyz', base: 'TSLA' });
    expect(matic).to.include({ isDelisted: true });
    expect(spot).to.include({ id: 10_000, kind: 'spot', base: 'PURR', quoteToken: 0 });
    expect(await exchange.venue.asset('NOSUCH')).to.deep.equal({ kind: 'absent' });
    expect(await exchange.venue.asset('nodex:NOSUCH')).to.deep.equal({ kind: 'absent' });
  });

  it('return prices, by coin and with the assets', async () => {
    exchange.upstream.setMid('ETH', '3100.5');

    const mids = foundOf(await exchange.venue.mids());
    const markets = foundOf(await exchange.venue.markets());

    expect(mids).to.include({ BTC: '100000', ETH: '3100.5' }).and.not.have.property('MATIC');
    const eth = markets.find(({ asset }) => asset.coin === 'ETH');
    expect(eth).to.include({ markPrice: '3100.5', midPrice: '3100.5', oraclePrice: '3100.5' });
    expect(markets.find(({ asset }) => asset.coin === 'MATIC')?.midPrice).to.equal(null);
  });

  it('add up an account over all dexes, and its free spot balance', async () => {
    const { address } = exchange.wallet;
    await control(exchange, 'fund', { address, usd: '250', dex: 'xyz' });
    await control(exchange, 'fund', { address, usd: '70.5', dex: 'spot' });

    const accounts = foundOf(await exchange.venue.accounts(address));
    const [balance] = foundOf(await exchange.venue.spotBalances(address));

    expect(accounts.map(({ dex, accountValue }) => [dex, accountValue])).to.deep.equal([
      ['', '100000'],
      ['xyz', '250'],
    ]);
    expect(balance).to.deep.equal({ coin: 'USDC', token: 0, total: '70.5', hold: '0', free: '70.5' });
  });

  it('use the balance of a builder dex for its orders', async () => {
    const { id: asset } = await assetOf(exchange, 'xyz:TSLA');
    const buy = () => place(exchange, { asset, price: '300', size: '1', timeInForce: 'ioc' });

    const poor = await buy();
    exchange.upstream.fund(exchange.wallet.address, '1000', 'xyz');
    const rich = await buy();

    expect(poor).to.include({ slug: 'insufficient_margin' });
    expect(itemsOf(rich)).to.have.length(1);
    expect(foundOf(await exchange.venue.account(exchange.wallet.address, 'xyz')).positions).to.have.length(1);
  });

  it('show an empty account for an unknown address', async () => {
    const { address } = newSigner(exchange.venue);

    expect(foundOf(await exchange.venue.account(address))).to.include({ accountValue: '0', withdrawable: '0' });
    expect(foundOf(await exchange.venue.recentFills(address))).to.deep.equal([]);
  });

  it('show funds for everyone where configured', async () => {
    const open = await openExchange({ autoFund: '5000' });
    const signer = newSigner(open.venue);

    const account = foundOf(await open.venue.account(signer.address));
    const response = await act(open, { kind: 'noop' }, { signer });
    await closeExchange(open);

    expect(account.accountValue).to.equal('5000');
    expect(response).to.include({ kind: 'accepted' });
  });

  it('list orders and executions, newest first or by time', async () => {
    const cloids = [newCloid(), newCloid()];
    const fromMs = Date.now();
    for (const cloid of cloids) await place(exchange, { timeInForce: 'ioc', cloid });
    const { address } = exchange.wallet;

    const history = foundOf(await exchange.venue.historicalOrders(address));
    const recent = foundOf(await exchange.venue.recentFills(address));
    const byTime = foundOf(await exchange.venue.fills(address, { fromMs }));

    expect(history.map(({ order: { cloid } }) => cloid)).to.deep.equal(cloids.toReversed());
    expect(recent.map(({ cloid }) => cloid)).to.deep.equal(cloids.toReversed());
    expect(byTime.map(({ cloid }) => cloid)).to.deep.equal(cloids);
    expect(foundOf(await exchange.venue.fills(address, { fromMs, toMs: fromMs - 1 }))).to.deep.equal([]);
  });

  it('reject invalid requests', async () => {
    const bodies = ['{}', 'no json', '{"type":"clearinghouseState"}', '{"type":"nothing","user":"0x1"}'];
    const statuses = await Promise.all(
      ['/info', '/exchange'].flatMap((path) =>
        bodies.map(async (body) => (await fetch(exchange.upstream.url + path, { method: 'POST', body })).status),
      ),
    );

    expect(new Set(statuses)).to.deep.equal(new Set([422]));
  });
});
