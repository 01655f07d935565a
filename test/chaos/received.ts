import { randomUUID } from 'node:crypto';
import type { Caller, Reply } from '../support/caller.ts';
import { acknowledged, atPace } from './load.ts';
import type { Stage } from './stage.ts';

/** A response, and which intents it was about: those of an id of the caller, or of one request. */
type Received = { about: { id: string } | { request: string }; at: number; ms: number; status: number; effect: string };

/**
 * The ids of accepted intents, how often each response came, responses that denied an effect on record, and how long each
 * response took, with the time it came at.
 */
export type Responses = {
  taken: string[];
  responses: Record<string, number>;
  misinformed: number;
  times: { at: number; ms: number; status: number }[];
};

const TRADERS = 120; // so many that after an outage few orders of each wait

/**
 * Orders at a steady rate until `isOver`, whose responses are compared with the records by `judge` at the end. Only 503 and
 * accepted orders are expected: every other response ends the load.
 */
export async function loadReceived(stage: Stage, perSecond: number, isOver: () => boolean) {
  const traders = await stage.traders(TRADERS);
  const received: Received[] = [];
  const load = atPace({ perSecond, goOn: () => !isOver() }, (n) => placeOneOf(traders, n, received));
  load.catch(() => {}); // reported by `judge`
  return {
    load,
    async judge(): Promise<Responses> {
      const taken = (await load).filter((id) => id !== null);
      return {
        taken,
        responses: tally(received),
        misinformed: await countMisinformed(stage, received),
        times: received.map(({ at, ms, status }) => ({ at, ms, status })),
      };
    },
  };
}

/**
 * Two of three callers give their order an id: one repeats it until it is accepted, the other only until a response says that
 * nothing happened. The third sends its order once and without an id. Returns the id of an accepted intent.
 */
async function placeOneOf(traders: Caller[], n: number, received: Received[]): Promise<string | null> {
  const trader = traders[n % TRADERS];
  if (!trader) throw new Error('There is at least one');
  const order_type = Math.floor(n / TRADERS) % 2 === 0 ? 'LONG' : 'SHORT'; // so that no position grows until the buying power is used up
  const order = { trade_pair: 'BTCUSDC', order_type, leverage: 0.01 };
  if (n % 3 === 0) {
    const request = randomUUID();
    const headers = { 'X-Request-Id': request };
    const reply = await note(received, { request }, () => trader.post(ORDERS, order, { prefer: 'wait=0', headers }));
    return reply.status === 503 ? null : acknowledged(async () => reply);
  }
  const id = randomUUID();
  const ask = () =>
    note(received, { id }, () => trader.post(ORDERS, { ...order, order_uuid: id }, { prefer: 'wait=0' }));
  if (n % 3 === 1) return acknowledged(ask);
  const reply = await ask();
  return effectOf(reply) === 'none'
    ? null
    : acknowledged(() => (reply.status === 503 ? ask() : Promise.resolve(reply)));
}

const ORDERS = '/v1/orders/netvenue';

const effectOf = ({ body }: Reply): string => String(body?.error?.effect);

async function note(received: Received[], about: Received['about'], ask: () => Promise<Reply>): Promise<Reply> {
  const startedAt = performance.now();
  const reply = await ask();
  const ms = performance.now() - startedAt;
  received.push({ about, at: Date.now(), ms, status: reply.status, effect: effectOf(reply) });
  return reply;
}

const tally = (received: Received[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const { status, effect } of received) {
    const name = status === 503 ? `503 ${effect}` : String(status);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
};

/** The responses of `none` about an order that was on record when they arrived. */
async function countMisinformed({ rows }: Stage, received: Received[]): Promise<number> {
  const intents = await rows<{ id: string; request_id: string; at: number }>(
    `select coalesce(given_id, id) as id, request_id, extract(epoch from created_at)::float8 * 1000 as at from intents`,
  );
  const recorded = new Map(intents.flatMap(({ id, request_id, at }) => [[id, at] as const, [request_id, at] as const]));
  const recordedAt = ({ about }: Received) =>
    recorded.get('id' in about ? about.id : about.request) ?? Number.POSITIVE_INFINITY;
  return received.filter((each) => each.effect === 'none' && recordedAt(each) <= each.at).length;
}
