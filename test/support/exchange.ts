import { exvenue } from '../../src/adapters/exvenue/index.ts';
import type { Exvenue, OrderAsked } from '../../src/adapters/exvenue/types.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import type { Entry } from '../../src/sandbox/ledger.ts';
import type { TestService } from './service.ts';

type Party = Pick<TestService, 'exchange'>;
type Wallet = { wallet: string; privateKey: string };

/** An order of bitcoin that rests far below the market, or whatever else is asked. Asset 1 is BTC at the sandbox. */
const far = (more: Partial<OrderAsked> = {}): OrderAsked =>
  ({
    asset: 1,
    side: 'buy',
    price: '50000',
    size: '0.001',
    reduceOnly: false,
    timeInForce: 'gtc',
    ...more,
  }) as OrderAsked; // as: of two shapes, only the first is built

/** The exchange as the service sees it, for looking at what really stands there. */
export const exchangeOf = ({ exchange }: Party): Exvenue => exvenue({ url: exchange.url, network: 'testnet' });

let nonces = Date.now() - 3_600_000; // an hour behind the service's own

/** Rests orders past the service, as many in one action as are given; answers their numbers, oldest first. */
export async function restDirectly(
  service: Party,
  { privateKey }: Wallet,
  orders: Partial<OrderAsked>[],
): Promise<number[]> {
  const venue = exchangeOf(service);
  const body = await venue
    .signerOf(privateKey)
    ?.sign({ kind: 'place', orders: orders.map(far), grouping: 'none' }, { nonce: ++nonces });
  const answer = await venue.post(String(body), { firstSend: true });
  if (answer.kind !== 'accepted') throw new Error(JSON.stringify(answer));
  return answer.said.items.map((item) => (item.kind === 'resting' ? item.oid : Number.NaN));
}

/** Numbers of a wallet's orders that are open at the exchange. */
export async function openOids(service: Party, { wallet }: Wallet, dex = ''): Promise<number[]> {
  const open = await exchangeOf(service).openOrders(wallet, dex);
  if (open.kind === 'unreadable') throw new Error(open.why);
  return open.kind === 'found' ? open.said.map(({ oid }) => oid) : [];
}

/**
 * Does something at the moment the exchange receives an action, before it looks at it: `happens` is told how many came before,
 * and may name a fault to strike. Until `restore` is called.
 */
export function whenActing({ exchange }: Party, happens: (before: number) => FaultKind | undefined): () => void {
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
export const effectsOn = ({ exchange }: Party, { wallet }: Wallet, kind: string): Entry[] =>
  exchange.ledger.entries().filter((entry) => entry.kind === kind && entry.detail.account === wallet);
