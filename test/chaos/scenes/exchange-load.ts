import { randomUUID } from 'node:crypto';
import type { Wallet } from '../callers.ts';
import { acknowledged, atPace, type Pace } from '../load.ts';
import type { Stage } from '../stage.ts';

const ORDERS = '/v1/orders/exvenue';

/** Orders a wallet places one after the other, repeatedly: at the market on both sides, resting, with an exit. */
const BOOK = [
  { pair: 'BTC', side: 'long', size: '0.002', order_type: 'market' },
  { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 },
  { pair: 'BTC', side: 'short', size: '0.001', order_type: 'market' },
  { pair: 'ETH', side: 'short', size: '0.1', order_type: 'limit', price: 3_500, time_in_force: 'alo' },
  { pair: 'SOL', side: 'long', size: '1', order_type: 'market', leverage: 5, stop_loss: 100 },
] as const;

/**
 * Orders of many wallets in turn, with other requests in between. Returns the ids of the acknowledged intents; the pace
 * counts orders only.
 */
export async function loadExchange(stage: Stage, walletCount: number, pace: Pace): Promise<string[]> {
  const wallets = await stage.wallets(walletCount);
  const taken = await atPace(pace, async (n) => {
    const wallet = wallets[n % walletCount];
    if (!wallet) throw new Error('There is at least one');
    const order = { ...BOOK[(n + Math.floor(n / walletCount)) % BOOK.length], client_order_id: randomUUID() };
    const placed = acknowledged(() => wallet.post(ORDERS, order, LATER));
    return Promise.all([placed, ...interfere(wallet, n)]);
  });
  return taken.flat().filter((id) => id !== null);
}

const LATER = { prefer: 'wait=0' };

/** Every few orders another request for the same wallet, behind them in its lane. */
function interfere(wallet: Wallet, n: number): Promise<string | null>[] {
  const named = { ...LATER, key: randomUUID() };
  if (n % 15 === 4) return [acknowledged(() => wallet.post(`${ORDERS}/close`, { pair: 'BTC' }, named))];
  if (n % 30 === 8) return [acknowledged(() => wallet.delete(ORDERS, named))];
  if (n % 15 === 11)
    return [acknowledged(() => wallet.post(`${ORDERS}/tp-sl`, { pair: 'SOL', take_profit: 300 }, named))];
  return n % 15 === 14 ? [cancelOne(wallet, named)] : [];
}

async function cancelOne(wallet: Wallet, named: typeof LATER & { key: string }): Promise<string | null> {
  // nothing to cancel while nothing can be read
  const { body } = await wallet.get(ORDERS).catch(() => ({ body: null }));
  const [order] = Array.isArray(body) ? body : [];
  return order ? acknowledged(() => wallet.delete(`${ORDERS}/${order.ex_order_id}`, named)) : null;
}
