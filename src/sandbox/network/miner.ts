import { setTimeout as wait } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Call, Reported, Route } from '../upstream.ts';
import { createAccount, readAccount } from './accounts.ts';
import { applySignal, namesAnother } from './apply.ts';
import { archiveResponse, keepCompleted, keepFailed } from './archive.ts';
import { type MinerAttempts, NO_CONNECTION } from './attempts.ts';
import { checkSignal } from './checks.ts';
import { type Entities, ofEntity } from './entities.ts';
import { type Magic, magicOf } from './magic.ts';
import { MalformedSignal, type Requested, readSignal } from './signal.ts';
import { textsOf } from './texts.ts';
import { tooSoon } from './trading.ts';
import { accountView, orderJson } from './views.ts';
import { rejected, type Verdict, type World } from './world.ts';

/** How a miner works: the time for an order, how many requests it works on at once, and its attempts at the validator. */
type Pace = { processingMs: Processing; threads: number; attempts: MinerAttempts };

/** What a miner has at once: requests that may change something, and look-ups. Those included that wait for a thread. */
export type Outstanding = { requests: number; lookUps: number };

/** The time for an order in milliseconds, a span to draw it from, or what draws it. */
export type Processing = number | readonly [fromMs: number, toMs: number] | (() => number);

/** The routes of the entity miners below `/miner`. The key selects the miner. `hang` stops them until what it returns is called. */
export const minerRoutes = (
  entities: Entities,
  { processingMs, threads, attempts }: Pace,
  onRequest: (outstanding: Outstanding) => void,
): { routes: Route[]; hang(): () => void } => {
  const submit = async (world: World, { json }: Call): Promise<Reported> => {
    const requested = readSignal(json);
    checkSignal(requested, (pair) => world.pairs.has(pair));
    if (!namesAnother(requested)) {
      if (world.seen.has(requested.uuid))
        return responseOf(world, requested, rejected(`Duplicate order UUID: ${requested.uuid}`), 0);
      world.seen.add(requested.uuid); // before it is sent, and never removed
    }
    const takenMs = timeFor(processingMs);
    await wait(takenMs);
    const magic = requested.size?.by === 'leverage' ? magicOf(requested.size.amount) : null;
    const { verdict, pausedMs } = await attempts.attempt(requested, {
      ask: () => decide(world, requested, magic),
      forget: () => void world.claimed.delete(requested.uuid), // an unconfirmed claim expires
    });
    file(world, verdict, requested, json);
    return {
      ...responseOf(world, requested, verdict, (takenMs + pausedMs) / 1000),
      dropped: magic === 'drop' && verdict.error === null,
    };
  };
  const create = { method: 'POST', response: ofEntity(entities, create200), rejection: rejectAccount };
  const queues = new Map<string | undefined, PQueue>();
  const outstanding = new Map<string | undefined, Outstanding>();
  let isHung = false;
  const queued = (route: Route): Route => ({
    ...route,
    response: (call) => {
      const key = call.headers.authorization;
      const queue = queues.get(key) ?? new PQueue({ concurrency: threads, autoStart: !isHung });
      queues.set(key, queue);
      const counts = outstanding.get(key) ?? { requests: 0, lookUps: 0 };
      outstanding.set(key, counts);
      const kind = route.method === 'GET' ? 'lookUps' : 'requests';
      counts[kind] += 1;
      onRequest(counts);
      return queue
        .add(() => route.response(call))
        .finally(() => {
          counts[kind] -= 1;
        });
    },
  });
  return {
    routes: routes().map(queued),
    hang() {
      isHung = true;
      for (const queue of queues.values()) queue.pause();
      return () => {
        isHung = false;
        for (const queue of queues.values()) queue.start();
      };
    },
  };

  function routes(): Route[] {
    return [
      {
        method: 'POST',
        path: '/miner/api/submit-order',
        response: ofEntity(entities, wellFormed(submit)),
        rejection: rejectSignal,
      },
      {
        method: 'GET',
        path: '/miner/api/order-status/:uuid',
        response: ofEntity(entities, ({ archive }, { params }) => archiveResponse(archive, params.uuid ?? '')),
      },
      { ...create, path: '/miner/api/create-subaccount' },
      { ...create, path: '/miner/api/create-hl-subaccount' },
      { method: 'GET', path: '/miner/api/health', response: () => ({ status: 200, body: health(entities.first) }) },
    ];
  }
};

const timeFor = (processingMs: Processing): number => {
  if (typeof processingMs === 'function') return processingMs();
  if (typeof processingMs === 'number') return processingMs;
  const [from, to] = processingMs;
  return from + (to - from) * Math.random();
};

const file = ({ archive, style }: World, { error, order }: Verdict, { uuid }: Requested, signal: unknown) => {
  const order_json = order && orderJson(order, style);
  if (error === null) keepCompleted(archive, uuid, { signal_data: signal, order_json });
  else keepFailed(archive, uuid, { original_signal: signal, error_message: error });
};

const decide = (world: World, requested: Requested, magic: Magic | null): Verdict => {
  if (magic === 'reject') return rejected(`Order rejected: no live prices found for ${requested.pair}`);
  if (magic === 'cooldown') return rejected(tooSoon(requested.pair ?? '', world.cooldownMs));
  const verdict = applySignal(world, requested);
  // The order is executed; only the miner does not know it.
  return magic === 'disconnect' && verdict.error === null ? rejected(NO_CONNECTION) : verdict;
};

const responseOf = (
  { style }: World,
  { uuid }: Requested,
  { error, order }: Verdict,
  processing_time: number,
): Reported => ({
  status: error === null ? 200 : 400,
  body: {
    success: error === null,
    order_uuid: uuid,
    order_json: order && (error === null || style === '2025') ? orderJson(order, style) : null,
    error_message: error ?? '',
    processing_time,
    message: textsOf(style).message(error),
  },
});

const wellFormed =
  (response: (world: World, call: Call) => Promise<Reported>) =>
  async (world: World, call: Call): Promise<Reported> => {
    try {
      return await response(world, call);
    } catch (error) {
      if (!(error instanceof MalformedSignal)) throw error;
      return { status: 400, body: { success: false, error: error.message } };
    }
  };

const create200 = (world: World, { json }: Call): Reported => {
  const account = createAccount(world, readAccount(json));
  if (typeof account === 'string') return { status: 400, body: { status: 'error', message: account } };
  const message = `Subaccount ${account.id} created successfully`;
  return { status: 200, body: { status: 'success', message, subaccount: accountView(account) } };
};

const rejectSignal = ({ json }: Call, error_message = 'Order rejected: no live prices found'): Reported => {
  const uuid = String((Object(json) as { order_uuid?: unknown }).order_uuid ?? ''); // as: the body may be any JSON
  return {
    status: 400,
    body: { success: false, order_uuid: uuid, order_json: null, error_message, processing_time: 0, message: '' },
  };
};

const rejectAccount = (): Reported => ({
  status: 400,
  body: { status: 'error', message: 'Insufficient collateral balance' },
});

const health = (world: World) => ({
  status: 'healthy',
  service: 'EntityMinerRestServer',
  ws_connected: true,
  hl_addresses_tracked: world.byAddress.size,
  max_hl_traders: null,
  dashboard_cache_size: world.byAddress.size,
  sse_subscribers: 0,
  payment_daemon_active: false,
  timestamp: Date.now() / 1000,
});
