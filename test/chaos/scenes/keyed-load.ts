import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage.ts';

/** Intents of requests under idempotency keys, the requests sent, and the keys under which more than one intent was made. */
export type Repeated = { intents: string[]; requests: number; twice: number };

const ORDER = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 };
const PAUSE_MS = 3_000;
const AT_ONCE = 4;
const TIMES = 4;

/** Orders without an id of their own, each sent several times under one key, some seconds apart, until `isOver`. */
export async function loadKeyed(stage: Stage, isOver: () => boolean): Promise<Repeated> {
  const traders = await stage.traders(AT_ONCE);
  const found: Repeated = { intents: [], requests: 0, twice: 0 };
  await Promise.all(
    traders.map(async (trader) => {
      while (!isOver()) {
        const key = randomUUID();
        const ids = new Set<string>();
        for (let n = 0; n < TIMES; n += 1) {
          const { status, headers, body } = await trader.post('/v1/orders/netvenue', ORDER, { key, prefer: 'wait=0' });
          found.requests += 1;
          if (status !== 200 && status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
          ids.add(String(headers['intent-id']));
          await sleep(PAUSE_MS);
        }
        found.intents.push(...ids);
        if (ids.size > 1) found.twice += 1;
      }
    }),
  );
  return found;
}
