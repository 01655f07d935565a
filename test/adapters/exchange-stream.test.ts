import { expect } from 'chai';
import { goByDatabaseTime } from '../../src/kernel/work.ts';
import type { ExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import { openUserStream } from '../../src/venues/exchange/adapter/stream.ts';
import type { UserStream } from '../../src/venues/exchange/adapter/stream-types.ts';
import { act, closeExchange, type Exchange, newCloid, openExchange } from '../sandbox/exchange.ts';
import { until } from '../support/processes.ts';

const ADDRESSES = Array.from({ length: 11 }, (_, n) => `0x${String(n).padStart(40, '0')}`);

describe('the stream of user events', function () {
  this.timeout(20_000);
  let exchange: Exchange;
  let streams: UserStream[] = [];
  beforeEach(async () => {
    exchange = await openExchange();
  });
  afterEach(async () => {
    for (const stream of streams) stream.close();
    streams = [];
    goByDatabaseTime(0);
    await closeExchange(exchange);
  });

  /** What a listener hears, in a few words each. */
  function listen({ url }: Pick<ExvenueUpstream, 'url'>, users: string[]) {
    const heard: string[] = [];
    const stream = openUserStream(`${url.replace('http', 'ws')}/ws`, {
      onOrders: (updates) => heard.push(...updates.map(({ record }) => `${record.word} ${record.order.size}`)),
      onFills: (user, fills) =>
        heard.push(`fills ${user.slice(0, 6)} ${fills?.map(({ size }) => size).join(' ') ?? 'unreadable'}`.trimEnd()),
      onFollowed: (user) => heard.push(`followed ${user.slice(0, 6)}`),
      onLost: () => heard.push('lost'),
      onError: (text) => heard.push(text),
    });
    streams.push(stream);
    stream.follow(users);
    return { heard, stream, hears: (word: string, times = 1) => waitFor(heard, word, times) };
  }
  const waitFor = (heard: string[], word: string, times: number) =>
    until(`${word}, ${times} times`, async () => heard.filter((each) => each === word).length >= times || null, 8_000);
  const buy = (price: string, more: object = {}) =>
    act(exchange, {
      kind: 'place',
      grouping: 'none',
      orders: [
        {
          ...{ asset: 1, side: 'buy', price, size: '0.01', reduceOnly: false, cloid: newCloid(), timeInForce: 'gtc' },
          ...more,
        },
      ],
    });

  it('reports changes of orders, and every execution, the earlier ones first', async () => {
    const user = exchange.wallet.address;
    await buy('110000');
    const { heard, hears } = listen(exchange.upstream, [user]);
    await hears(`followed ${user.slice(0, 6)}`);

    await buy('90000', { size: '0.02' });
    exchange.upstream.setMid('BTC', '80000');

    await hears('filled 0');
    await hears(`fills ${user.slice(0, 6)} 0.02`);
    expect(heard).to.include.members([`fills ${user.slice(0, 6)} 0.01`, 'open 0.02']);
  });

  it('follows ten users of the deployment and says so for the next; a place that is given up is free', async () => {
    const { stream, hears } = listen(exchange.upstream, ADDRESSES.slice(0, 10));
    await hears('followed 0x0000', 10);

    const other = listen(exchange.upstream, ADDRESSES.slice(10));
    await other.hears('Cannot track more than 10 total users.');
    stream.follow(ADDRESSES.slice(0, 9));

    await other.hears('followed 0x0000'); // asked again by itself
  }).timeout(30_000);

  for (const [more, backMs] of [
    ['', 0],
    [', also where the time is set back meanwhile, as by a failover', 3_600_000],
  ] as const)
    it(`connects again by itself, and says that its users are followed again${more}`, async () => {
      const { hears } = listen(exchange.upstream, ADDRESSES.slice(0, 1));
      await hears('followed 0x0000');

      exchange.upstream.stream.cut();
      await hears('lost');
      goByDatabaseTime(backMs);
      exchange.upstream.stream.open();

      await hears('followed 0x0000', 2);
    });

  it('passes over messages of unknown forms, and says that executions could not be read', async () => {
    const user = exchange.wallet.address;
    const { heard, hears } = listen(exchange.upstream, [user]);
    await hears(`followed ${user.slice(0, 6)}`);
    exchange.upstream.stream.alter((message) => [
      { channel: 'news' },
      { channel: 'orderUpdates', data: 'none' },
      { channel: 'orderUpdates', data: [{ order: null }] },
      { channel: 'userFills', data: { user, fills: [{}] } },
      message,
    ]);

    await buy('90000');

    await hears('open 0.01');
    expect(heard).to.include(`fills ${user.slice(0, 6)} unreadable`);
  });
});
