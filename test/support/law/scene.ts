import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { connect, ServiceError } from '../../../src/client/index.ts';
import type { ErrorCode } from '../../../src/kernel/error-codes.ts';
import { laws } from '../../../src/kernel/error-laws.ts';
import { type Ask, asking, type Data, fresh } from '../identity.ts';
import { expectRejected } from '../rejected.ts';
import type { Trading } from '../trading.ts';

export type Send = (key: string) => Promise<Data>;
/** A service in the state that brings an error about: the request, what the advice asks for, and another request. */
export type Scene = { send: Send; heal?: () => unknown; instead?: Send };
export type Scenes = Partial<Record<ErrorCode, () => Promise<Scene>>>;
/** The service of the scenes, once it has started, and how their requests are sent. */
export type Stage = { service(): Trading; asking(headers?: Record<string, string>): Ask };

/** How requests of scenes are sent: by hand, and by the client, which repeats by itself. */
export const SENDERS = { 'by hand': asking, 'by the client': clientAsking };

export const keyed = (key: string, json?: object) => ({ ...(json && { json }), headers: { 'Idempotency-Key': key } });

/** Plays a scene by hand: obeys each error as the table says. */
export async function obey(code: ErrorCode, { send, heal, instead }: Scene): Promise<void> {
  const key = fresh('law');
  const first = await send(key);
  const { spends, retryAfterS } = laws[code];

  expectRejected(first, code, { retryable: retryAfterS !== null });
  if (spends) {
    expectRejected(await send(key), code, { retryable: false });
    expect((await instead?.(fresh('law')))?.status).to.equal(200);
    return;
  }
  await heal?.();
  const last = await afterPauses(first, () => send(key));
  expect(last.status, JSON.stringify(last.body)).to.equal(200);
  if (first.headers.get('intent-id')) expect(last.headers.get('idempotent-replayed')).to.equal(null);
}

const HEALS_AFTER_MS = 700;

/** Plays a scene by the client: it waits by itself; what it throws is what somebody must remedy, or final. */
export async function obeyByClient(code: ErrorCode, { send, heal, instead }: Scene): Promise<void> {
  const key = fresh('law');
  const { spends, retryAfterS } = laws[code];
  const sent = send(key);
  if (!spends && retryAfterS !== null) {
    await sleep(HEALS_AFTER_MS);
    await heal?.();
    const { status, body } = await sent;
    expect(status, JSON.stringify(body)).to.equal(200);
    return;
  }
  expect((await sent).body.error).to.include({ code, retryable: false });
  if (!spends) await heal?.();
  else expect((await send(key)).body.error).to.include({ code, retryable: false });
  const last = await (spends ? instead?.(fresh('law')) : send(key));
  expect(last?.status, JSON.stringify(last?.body)).to.equal(200);
}

/** Repeats while the errors say so, no sooner than they say. */
async function afterPauses(first: Data, send: () => Promise<Data>): Promise<Data> {
  let reply = first;
  for (let attempt = 0; attempt < 8 && reply.status >= 400; attempt += 1) {
    if (reply.body.error.retryable) expect(Number(reply.headers.get('retry-after'))).to.be.within(1, 60);
    await sleep(1_000 * Number(reply.headers.get('retry-after')));
    reply = await send();
    if (reply.status >= 400) expect(reply.body.error.retryable, JSON.stringify(reply.body)).to.equal(true);
  }
  return reply;
}

/** Sends requests by the client, whose errors look like responses. */
function clientAsking(url: string, { Authorization = '', ...headers }: Record<string, string> = {}): Ask {
  const { api, settled } = connect({
    ...{ baseUrl: url, headers },
    credentials: headers['X-Api-Key']
      ? { apiKey: headers['X-Api-Key'] }
      : { partnerKey: Authorization.replace('Bearer ', '') },
  });
  // biome-ignore lint/suspicious/noExplicitAny: paths of every shape
  const calls = api as any;
  return async (method, path, { json, headers: more } = {}) => {
    try {
      const body = await settled(calls[method](path, { headers: more, ...(json !== undefined && { body: json }) }));
      return { status: 200, headers: new Headers(), body };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, retryable, status } = error;
      return { status, headers: new Headers(), body: { error: { code, retryable } } };
    }
  };
}
