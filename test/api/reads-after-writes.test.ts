import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { type RunningWeb, startWeb } from '../../src/runtime/web-process.ts';
import { type Caller, caller, type Reply } from '../support/caller.ts';
import { type DelayedRelay, delayedRelay, listenerOf } from '../support/delayed.ts';
import { limit, market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const NETWORK = '/v1/orders/netvenue';
const EXCHANGE = '/v1/orders/exvenue';
const LATE_MS = 60; // the second process hears of every write this much later than the first

/** A write by one process, a read by the other one, and what the read must show. */
type Step = { write(): Promise<Reply>; read: string; shows(body: never): boolean };

describe('reads after a write of the caller, by another process', () => {
  let service: TestService;
  let late: DelayedRelay;
  let other: RunningWeb;
  before(async () => {
    service = await startService();
    const direct = new URL(String(service.settings.DATABASE_URL));
    late = await delayedRelay(listenerOf(direct), LATE_MS);
    const near = new URL(direct);
    near.host = `127.0.0.1:${late.port}`;
    const settings = { ...service.settings, DATABASE_DIRECT_URL: near.href };
    other = await startWeb(readConfig(settings), service.log.logger);
    await until('it hears of writes', async () => (await fetch(`${other.url}/readyz`)).ok);
  });
  after(async () => {
    await other.stop();
    await late.close();
    await service.stop();
  });

  /** Runs the steps one by one; before each write the other process has cached what was true. Returns the stale reads. */
  async function stale(writer: Caller, steps: Step[]): Promise<string[]> {
    const found: string[] = [];
    for (const [n, { write, read, shows }] of steps.entries()) {
      await reader(writer).get(read);
      const written = await write();
      const { status, body } = await reader(writer).get(read);
      const isCurrent = written.status === 200 && status === 200 && shows(body as never);
      if (!isCurrent) found.push(`${n}: ${JSON.stringify([written, read, status, body])}`);
    }
    return found;
  }

  const traders = new Map<Caller, Caller>();
  const reader = (writer: Caller) => traders.get(writer) as Caller;
  const elsewhere = (writer: Caller, id: string) =>
    traders.set(writer, caller(other.url, writer.key, { 'Trader-ID': id })) && writer;

  it('show positions, exits, fills and lifecycles at the network: 30 sequences', async () => {
    const found = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const made = await service.trader();
        const trader = elsewhere(made, made.traderId);
        const resting = await trader.post(NETWORK, limit());
        const order = `${NETWORK}/${resting.body.order_uuid}`;
        const positions = '/v1/positions/netvenue';
        return stale(trader, [
          { write: () => trader.post(NETWORK, market()), read: positions, shows: (all: unknown[]) => all.length === 1 },
          {
            write: () => trader.post(`${NETWORK}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 90_000 }),
            read: positions,
            shows: ([held]: { stop_loss: string }[]) => Number(held?.stop_loss) === 90_000,
          },
          {
            write: () => trader.post(`${order}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 }),
            read: order,
            shows: (shown: { limit_price: number }) => shown.limit_price === 91_000,
          },
          {
            write: () => trader.delete(`${order}?trade_pair=BTCUSDC`),
            read: order,
            shows: (shown: { lifecycle: string }) => shown.lifecycle === 'cancelled',
          },
          {
            write: () => trader.post(`${NETWORK}/close`, { trade_pair: 'BTCUSDC' }),
            read: positions,
            shows: (all: unknown[]) => all.length === 0,
          },
          {
            write: () => trader.post(NETWORK, market({ trade_pair: 'ETHUSDC' })),
            read: '/v1/history/orders',
            shows: (all: { pair: string }[]) => all.some(({ pair }) => pair.startsWith('ETH')),
          },
        ]);
      }),
    );

    expect(found.flat()).to.deep.equal([]);
  }).timeout(60_000);

  it('show positions, orders, exits and fills at the exchange: 20 sequences', async () => {
    const found = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const made = await service.wallet();
        const wallet = elsewhere(made, made.wallet);
        const positions = '/v1/positions/exvenue';
        const order = (more: object) => ({ pair: 'BTC-USDC', side: 'long', size: '0.01', ...more });
        return stale(wallet, [
          {
            write: () => wallet.post(EXCHANGE, order({ order_type: 'market' })),
            read: positions,
            shows: (all: unknown[]) => all.length === 1,
          },
          {
            write: () => wallet.post(`${EXCHANGE}/tp-sl`, { pair: 'BTC-USDC', stop_loss: '50000' }),
            read: positions,
            shows: ([held]: { stop_loss: string }[]) => Number(held?.stop_loss) === 50_000,
          },
          {
            write: () => wallet.post(EXCHANGE, order({ order_type: 'limit', price: '60000' })),
            read: EXCHANGE,
            shows: (all: { limit_price: string }[]) => all.some(({ limit_price }) => Number(limit_price) === 60_000),
          },
          {
            write: () => wallet.post(`${EXCHANGE}/close`, { pair: 'BTC-USDC' }),
            read: '/v1/history/positions',
            shows: (all: unknown[]) => all.length === 1,
          },
          { write: () => wallet.delete(EXCHANGE), read: EXCHANGE, shows: (all: unknown[]) => all.length === 0 },
        ]);
      }),
    );

    expect(found.flat()).to.deep.equal([]);
  }).timeout(60_000);
});
