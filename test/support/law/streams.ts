import { sql } from 'slonik';
import { type Ask, bearer, asking as byHand, type Data } from '../identity.ts';
import { type Reader, readStream } from '../stream.ts';
import type { Scene, Scenes, Stage } from './scene.ts';

const MOST = 10; // streams of one caller

type Caller = { at: string; headers: Record<string, string>; tickets: () => ReturnType<Ask> };

/** Event streams, which no Idempotency-Key names: their tickets, and how many may be open. */
export function streamScenes({ service }: Stage): Scenes {
  const callers = {
    V1: async (): Promise<Caller> => {
      const headers = bearer((await service().partner()).key);
      const ask = byHand(service().url, headers);
      return { at: '/v1/stream', headers, tickets: () => ask('POST', '/v1/stream-tickets') };
    },
    V2: async (): Promise<Caller> => {
      const trader = await service().propTrader();
      const headers = { 'X-Api-Key': (await trader.key()).api_key };
      return { at: '/v2/trading/stream', headers, tickets: () => trader.ask('POST', '/v2/stream-tickets') };
    },
  };
  const of = (caller: () => Promise<Caller>, scene: (caller: Caller) => Promise<Scene>) => async () =>
    scene(await caller());
  return {
    V1_STREAM_TICKET_INVALID: of(callers.V1, late),
    V2_STREAM_TICKET_INVALID: of(callers.V2, late),
    V1_STREAM_LIMIT: of(callers.V1, full),
    V2_STREAM_LIMIT: of(callers.V2, full),
  };

  /** A ticket that has expired. */
  async function late({ at, tickets }: Caller): Promise<Scene> {
    let { ticket } = (await tickets()).body;
    await service().db.query(sql.unsafe`update stream_tickets set expires_at = now()`);
    return {
      shows: ({ isStream }) => isStream,
      async heal() {
        ticket = (await tickets()).body.ticket;
      },
      send: () => opened(`${at}?${new URLSearchParams({ ticket })}`, {}),
    };
  }

  async function full({ at, headers }: Caller): Promise<Scene> {
    const open: Reader[] = [];
    for (let n = 0; n < MOST; n += 1) open.push(await readStream(service().url + at, headers));
    return {
      shows: ({ isStream }) => isStream,
      heal: () => open[0]?.drop(),
      pass: async () => {}, // the slot is free as soon as the service hears of the end: an attempt more, if it has not
      async send() {
        const reply = await opened(at, headers);
        if (reply.status === 200) for (const reader of open) reader.drop();
        return reply;
      },
    };
  }

  async function opened(path: string, headers: Record<string, string>): Promise<Data> {
    const abort = new AbortController();
    const response = await fetch(service().url + path, {
      headers: { Accept: 'text/event-stream', ...headers },
      signal: abort.signal,
    });
    const { status } = response;
    if (status !== 200) return { status, headers: response.headers, body: await response.json() };
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    abort.abort();
    return { status, headers: response.headers, body: { isStream } };
  }
}
