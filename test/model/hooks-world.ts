import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { openPool } from '../../src/db/pool.ts';
import { advanceDatabase } from '../../src/sandbox/clock.ts';
import { asking, bearer, type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { type Running, startProgram, until } from '../support/processes.ts';

/** What a receiver does with a request; `late` closes after 1.3 s, `hang` when it is told to (`release`). */
export const BEHAVIOURS = [
  ...([
    'ok',
    'slow',
    'no',
    'missing',
    'redirect',
    'busy',
    'busier',
    'gone',
    'drop',
    'reset',
    'huge',
    'late',
    'hang',
  ] as const),
];
export type Behaviour = (typeof BEHAVIOURS)[number];

/** The statuses of those that respond, with the seconds of their Retry-After. */
const RESPONSES: Partial<Record<Behaviour, { status: number; retryAfter?: number; text?: string; delayMs?: number }>> =
  {
    ok: { status: 200 },
    slow: { status: 204, delayMs: 1_300 },
    no: { status: 500, text: 'no' },
    missing: { status: 404 },
    redirect: { status: 302 },
    busy: { status: 429, retryAfter: 9 },
    busier: { status: 503, retryAfter: 100_000 },
    gone: { status: 410 },
    huge: { status: 200, text: 'x'.repeat(1_000_000) },
  };
const LATE_MS = 1_300;

/**
 * One request as its receiver saw it. `at`: by the clock of the model; `realMs`: by that of the machine. `status`: the response that was given. `isResent`: the connection had been
 * used before and was cut, so that the same request comes again on another.
 */
export type Request = {
  path: string;
  at: number;
  realMs: number;
  headers: IncomingHttpHeaders;
  body: string;
  status: number | null;
  retryAfter: number;
  isResent: boolean;
};

/** Receivers of any path on one port, with the ledger of what they got. */
async function startReceivers(now: () => number) {
  const ledger: Request[] = [];
  const behaviours = new Map<string, Behaviour>();
  const hanging = new Set<() => void>();
  const used = new WeakSet<Socket>();
  const server = http.createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const path = incoming.url ?? '';
    const isReused = used.has(incoming.socket);
    used.add(incoming.socket);
    const request: Request = {
      ...{ path, at: now(), realMs: Date.now(), headers: incoming.headers },
      ...{ body: Buffer.concat(chunks).toString('utf8'), status: null, retryAfter: 0, isResent: false },
    };
    ledger.push(request);
    const cut = () => {
      request.isResent = isReused;
      response.destroy();
    };
    const behaviour = behaviours.get(path) ?? 'ok';
    const given = RESPONSES[behaviour];
    if (behaviour === 'hang') {
      hanging.add(cut);
      response.once('close', () => hanging.delete(cut));
    } else if (behaviour === 'drop') cut();
    else if (behaviour === 'late') setTimeout(cut, LATE_MS);
    else if (behaviour === 'reset') {
      request.status = 200;
      response
        .writeHead(200, { 'Content-Length': '100' })
        .write('half', () => setTimeout(() => response.destroy(), 20));
    } else if (given)
      setTimeout(() => {
        request.status = given.status;
        request.retryAfter = given.retryAfter ?? 0;
        const headers = given.retryAfter ? { 'Retry-After': String(given.retryAfter) } : { Location: '/stolen' };
        response.writeHead(given.status, headers).end(given.text ?? '');
      }, given.delayMs ?? 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listening on TCP
    ledger,
    behave: (path: string, behaviour: Behaviour) => void behaviours.set(path, behaviour),
    allRespond: () => behaviours.clear(),
    release() {
      for (const cut of hanging) cut();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The service with so many apps, its worker as a process that can be killed, receivers, and a clock that can be moved on. */
export async function startWorld(most: number) {
  const service: Identity = await startIdentity({}, false);
  const apps: TestApp[] = [];
  while (apps.length < most) apps.push(await service.app()); // before time passes: the operator who creates them is logged in
  const clock = await openPool(String(service.settings.DATABASE_URL), 1, () => {});
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const receivers = await startReceivers(now);
  const settings = { ...service.settings, WORKER_RUNNERS: 'outbound', LOG_LEVEL: 'info' };
  let worker: Running = await startWorker();

  async function startWorker() {
    const started = startProgram('worker', settings);
    await started.waitForLine(/worker is running/);
    return started;
  }

  /** Lets so many seconds pass. */
  async function advance(seconds: number) {
    await advanceDatabase(clock, seconds);
    aheadMs += seconds * 1_000;
  }

  return {
    service,
    receivers,
    now,
    /** An app that stays logged in: its token is renewed when time passes. */
    app(): WorldApp {
      const app = apps.pop() as TestApp; // as: there are as many as are asked for
      let at = Number.NaN;
      return {
        ...app,
        async ask(...call) {
          if (aheadMs !== at) app.token = (await service.token(app)).body.access_token;
          at = aheadMs;
          return asking(service.url, bearer(app.token))(...call);
        },
      };
    },
    advance,
    /** Kills the worker in the middle of whatever it does, and starts another. */
    async kill() {
      worker.kill('SIGKILL');
      await worker.exited;
      worker = await startWorker();
      await advance(13); // what it had outside the queue is taken over after 12 s
    },
    /** What the worker logged about itself that it should not. */
    faults: () => worker.lines.filter((line) => /"level":"?(error|50)|requeued endpoints/.test(line)),
    async stop() {
      worker.kill('SIGTERM');
      receivers.allRespond();
      receivers.release();
      await worker.exited;
      receivers.close();
      await clock.end();
      await service.stop();
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;
export type WorldApp = TestApp;

/** A delivery as the API lists it. */
export type Listed = {
  id: string;
  event_id: string;
  event_type: string;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  attempts: number;
  next_attempt_at: string | null;
};
export type Detail = Listed & {
  event: { id: string; data: object };
  attempt_log: {
    n: number;
    started_at: string;
    duration_ms: number;
    response_status: number | null;
    error: string | null;
  }[];
};

export const ENDPOINTS = '/v2/webhook-endpoints';

/** The deliveries of an endpoint, oldest first. */
export async function listDeliveries(app: WorldApp, id: string): Promise<Listed[]> {
  const { status, body } = await app.ask('GET', `${ENDPOINTS}/${id}/deliveries?limit=500`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return (body as Listed[]).reverse();
}

/** Waits until nothing of these endpoints is due or under way; what hangs is cut. */
export async function atRest(world: World, app: WorldApp, ids: string[]): Promise<void> {
  const isBusy = async () => {
    world.receivers.release();
    const lists = await Promise.all(ids.map((id) => listDeliveries(app, id)));
    return lists.flat().some((one) => {
      if (one.status !== 'pending') return false;
      return one.next_attempt_at === null || Date.parse(one.next_attempt_at) < Date.now() + 50;
    });
  };
  await until('rest', async () => !(await isBusy()), 30_000);
}
