import { sql } from 'slonik';
import { z } from 'zod';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import type { Entry } from '../../src/sandbox/ledger.ts';
import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { until } from './processes.ts';
import type { TestService } from './service.ts';

type Upstream = Pick<TestService, 'exchange'>;
type Wallet = { wallet: string; privateKey: string };

/** An order of bitcoin, by default resting far below the market. Asset 1 is BTC at the sandbox. */
const far = (more: Partial<OrderTerms> = {}): OrderTerms =>
  ({
    asset: 1,
    side: 'buy',
    price: '50000',
    size: '0.001',
    reduceOnly: false,
    timeInForce: 'gtc',
    ...more,
  }) as OrderTerms; // as: of two shapes, only the first is built

/** The exchange as the service sees it, to read its actual state. */
export const exchangeOf = ({ exchange }: Upstream): Exvenue => exvenue({ url: exchange.url, network: 'testnet' });

let nonces = Date.now() - 3_600_000; // an hour behind the service's own

/** Places resting orders without the service, all in one action; returns their numbers, oldest first. */
export async function restDirectly(
  service: Upstream,
  { privateKey }: Wallet,
  orders: Partial<OrderTerms>[],
): Promise<number[]> {
  const venue = exchangeOf(service);
  const body = await venue
    .signerOf(privateKey)
    ?.sign({ kind: 'place', orders: orders.map(far), grouping: 'none' }, { nonce: ++nonces });
  const response = await venue.post(String(body), { firstSend: true });
  if (response.kind !== 'accepted') throw new Error(JSON.stringify(response));
  return response.data.items.map((item) => (item.kind === 'resting' ? item.oid : Number.NaN));
}

/** An order of bitcoin at the exchange, by its client order id. `isNew`: there is none yet. */
type ChangedOrder = { cloid: string; size: string; price: string; isNew?: boolean };

/** Has a trader's own software act at the exchange, which may reject it. */
export async function actDirectly(service: Upstream, { privateKey }: Wallet, action: Action): Promise<void> {
  const venue = exchangeOf(service);
  const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
  await venue.post(String(body), { firstSend: true });
}

/** Changes a resting order without the service, under its client order id. Resolves to its new number, null if it was filled at once. */
export async function changeDirectly(
  service: Upstream,
  { privateKey, wallet }: Wallet,
  { isNew = false, ...terms }: ChangedOrder,
): Promise<number | null> {
  const venue = exchangeOf(service);
  const record = await venue.orderStatus(wallet, terms.cloid);
  const target = record.kind === 'found' ? record.data.order.oid : Number.NaN;
  const body = await venue
    .signerOf(privateKey)
    ?.sign(
      isNew
        ? { kind: 'place', orders: [far(terms)], grouping: 'none' }
        : { kind: 'replace', orders: [{ target, order: far(terms) }] },
      { nonce: ++nonces },
    );
  const response = await venue.post(String(body), { firstSend: true });
  const [item] = response.kind === 'accepted' ? response.data.items : [];
  if (item?.kind !== 'resting' && item?.kind !== 'filled') throw new Error(JSON.stringify(response));
  return item.kind === 'resting' ? item.oid : null;
}

/** Cancels an order without the service, by its client order id. */
export async function cancelDirectly(service: Upstream, { privateKey }: Wallet, cloid: string): Promise<void> {
  const venue = exchangeOf(service);
  const body = await venue
    .signerOf(privateKey)
    ?.sign({ kind: 'cancel_by_cloid', orders: [{ asset: 1, cloid }] }, { nonce: ++nonces });
  const response = await venue.post(String(body), { firstSend: true });
  if (response.kind !== 'accepted' || response.data.items[0]?.kind !== 'done')
    throw new Error(JSON.stringify(response));
}

/** Numbers of a wallet's orders that are open at the exchange. */
export async function openOids(service: Upstream, { wallet }: Wallet, dex = ''): Promise<number[]> {
  const open = await exchangeOf(service).openOrders(wallet, dex);
  if (open.kind === 'unreadable') throw new Error(open.why);
  return open.kind === 'found' ? open.data.map(({ oid }) => oid) : [];
}

/**
 * Runs a callback when the exchange receives an action, before it processes it: `happens` gets the number of earlier
 * ones, and may return a fault to apply. Until `restore` is called.
 */
export function whenActing({ exchange }: Upstream, happens: (before: number) => FaultKind | undefined): () => void {
  const { faults } = exchange;
  const { next } = faults;
  let before = 0;
  faults.next = (call) => {
    const kind = call === 'POST /exchange' ? happens(before++) : undefined;
    return kind ? { kind } : next(call);
  };
  return () => {
    faults.next = next;
  };
}

/** Effects of a wallet in the ledger, oldest first. */
export const effectsOn = ({ exchange }: Upstream, { wallet }: Wallet, kind: string): Entry[] =>
  exchange.ledger.entries().filter((entry) => entry.kind === kind && entry.detail.account === wallet);

/** Reads every exchange wallet now, as the watch of wallets does when they are due; the worker's own watch may take some of them. */
export async function readWallets({ db, runTask }: Pick<TestService, 'db' | 'runTask'>): Promise<void> {
  await db.query(sql.type(z.object({}))`update exchange_cursors set due_at = now() where due_at < 'infinity'`);
  await runTask('exchange/watch');
  const underWay = sql.type(
    z.object({}),
  )`select from queue_jobs where task = 'exchange/watch' and locked_at is not null`;
  await until('no reading is under way', async () => !(await db.exists(underWay)) || null);
}
