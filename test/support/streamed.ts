import { exchangeOf } from './exchange.ts';
import { until } from './processes.ts';
import { startService, type TestService } from './service.ts';

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
/** An event of a wallet's partner. */
type WalletEvent = { type: string; data: { order_uuid?: string; exit?: string; lifecycle?: string; change?: string } };

const BEHIND_MS = 25_000;
/** What is promised of news that are streamed. */
export const TOLD_WITHIN_MS = 2_000;

/** The service at an exchange whose stream it follows. */
export const startStreamed = (settings: Record<string, string> = {}): Promise<TestService> =>
  startService({ settings: { EXVENUE_STREAM: 'true', EXVENUE_READ_LAG_MS: '30000', ...settings } });

/** Waits until the stream of a wallet is followed. */
export const followed = ({ exchange }: TestService, { wallet }: Pick<Wallet, 'wallet'>) =>
  until('the wallet is followed', async () => exchange.stream.users().includes(wallet) || null, 10_000);

/** From now on every read shows the present state, for 25 s. */
export async function freezeReads(service: TestService, { wallet }: Pick<Wallet, 'wallet'>): Promise<void> {
  service.exchange.setBehind(BEHIND_MS);
  await exchangeOf(service).openOrders(wallet);
}

/** The first event that matches, and how long it took from now (ms). */
export async function eventOf(trader: Wallet, matches: (event: WalletEvent) => boolean, withinMs = 15_000) {
  const since = Date.now();
  const event = await until(
    'the event',
    async () => ((await trader.get('/v1/events?limit=500')).body as WalletEvent[]).find(matches) ?? null, // as: a list of events
    withinMs,
  );
  return { event, ms: Date.now() - since };
}
