import { type Client, connect, type Effect, ServiceError } from '../../../src/client/index.ts';
import type { Entry } from '../../../src/sandbox/ledger.ts';
import { seeded } from '../../support/seeded.ts';
import { countBy } from '../audit.ts';
import { atPace, type Pace } from '../load.ts';
import type { Stage } from '../stage.ts';

/** How an order through the client ended: its intent, and the effect that was reported to the caller. */
export type ClientEnd = { id: string; effect: Effect };

type Load = { traders: number; seed: number };

const ORDERS = '/v1/orders/netvenue';
const KEEP_REPEATING_MS = 180_000;
const UNSENT_SHARE = 0.03; // requests that never leave
const UNHEARD_SHARE = 0.07; // responses that never arrive

/** Orders of many traders through the TypeScript client, over a network that loses requests and responses. */
export async function loadThroughClient(
  stage: Stage,
  { traders: count, seed }: Load,
  pace: Pace,
): Promise<ClientEnd[]> {
  const random = seeded(seed);
  const callers = (await stage.traders(count)).map(({ url, key, headers }) => ({
    ...connect({ baseUrl: url, credentials: { partnerKey: key }, fetch: losing(random) }),
    trader: String(headers['Trader-ID']),
  }));
  return atPace(pace, (n) => placed(callers[n % count] as TraderClient)); // as: there is one
}

type TraderClient = Client & { trader: string };

/** Places one order as a careful caller does: what is retryable is repeated, under its key if anything may have happened. */
async function placed({ api, settled, trader }: TraderClient): Promise<ClientEnd> {
  const body = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 } as const;
  let key: string | undefined;
  let id: string | undefined; // a later response may be lost
  for (const until = Date.now() + KEEP_REPEATING_MS; ; ) {
    const header = { 'Trader-ID': trader, Prefer: 'wait=0', ...(key !== undefined && { 'Idempotency-Key': key }) };
    const ended = await settled(api.POST(ORDERS, { params: { header }, body })).catch((error) => error);
    if (!(ended instanceof Error)) return { id: String(ended.order_uuid), effect: 'done' };
    if (!(ended instanceof ServiceError)) throw ended;
    id = ended.intentId ?? id;
    if (!ended.retryable || Date.now() > until) return { id: accepted(id, ended), effect: ended.effect ?? 'unknown' };
    key = ended.effect === 'none' ? undefined : ended.idempotencyKey;
  }
}

function accepted(id: string | undefined, error: ServiceError): string {
  if (id !== undefined) return id;
  throw new Error(`The order was never accepted: ${error.code}, ${error.message}`, { cause: error });
}

const losing =
  (random: () => number): typeof fetch =>
  async (...request) => {
    const chance = random();
    if (chance < UNSENT_SHARE) throw new TypeError('lost on the way there');
    const response = await fetch(...request);
    if (chance > UNSENT_SHARE + UNHEARD_SHARE) return response;
    await response.arrayBuffer();
    throw new TypeError('lost on the way back');
  };

/** Orders through the client by their end, and callers whose result the ledger contradicts or who share an order. */
export function auditClients(ends: readonly ClientEnd[], entries: readonly Entry[]) {
  const effects = countBy(entries.filter(({ kind }) => kind === 'market').map(({ key }) => key));
  const calls = countBy(ends.map(({ id }) => id));
  const misled = ends.filter(({ id, effect }) => {
    const done = effects.get(id) ?? 0;
    return calls.get(id) !== 1 || (effect === 'done' && done !== 1) || (effect === 'none' && done !== 0);
  });
  return {
    orders: ends.length,
    ends: Object.fromEntries(countBy(ends.map(({ effect }) => effect))),
    misled: misled.length,
  };
}
