import { randomUUID } from 'node:crypto';
import { acknowledged, atPace, type Pace } from '../load.ts';
import type { Stage } from '../stage.ts';

const PAIRS = ['BTCUSDC', 'ETHUSDC'];

/** Orders of many traders on the network. Returns the ids of the acknowledged intents. */
export async function loadNetwork(stage: Stage, traderCount: number, pace: Pace): Promise<string[]> {
  const traders = await stage.traders(traderCount);
  return atPace(pace, (n) => {
    const trader = traders[n % traderCount];
    if (!trader) throw new Error('There is at least one');
    const order = {
      trade_pair: PAIRS[n % PAIRS.length],
      order_type: 'LONG',
      leverage: 0.01,
      order_uuid: randomUUID(),
    };
    return acknowledged(() => trader.post('/v1/orders/netvenue', order, { prefer: 'wait=0' }));
  });
}
