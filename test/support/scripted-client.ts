import { expect } from 'chai';
import { type ClientOptions, connect, ServiceError } from '../../src/client/index.ts';

/** What a service replies: a response, or none. */
export type Reply = { status: number; headers?: Record<string, string>; error?: object; text?: string } | 'lost';

/** An order to place. */
export const ORDER = {
  params: { header: { 'Trader-ID': '7' } },
  body: { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1, execution_type: 'MARKET' },
} as const;
/** The response to it. */
export const OK: Reply = { status: 200, text: '{"success":true}' };

/** A client whose service gives these replies, the last of them again and again; and the requests it received. */
export function scripted(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const received: { method: string; path: string; key: string | null; session: string | null; at: number }[] = [];
  const service = connect({
    baseUrl: 'https://service.example',
    credentials: { partnerKey: 'tpk_1' },
    longestWaitMs: 2_000,
    ...options,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      const [key, session] = [headers.get('Idempotency-Key'), headers.get('X-Session-Token')];
      received.push({
        method: init?.method ?? '',
        path: new URL(String(url)).pathname,
        key,
        session,
        at: performance.now(),
      });
      const reply = replies[Math.min(received.length, replies.length) - 1] ?? 'lost';
      if (reply === 'lost') throw new TypeError('the connection broke');
      const { status, headers: given, error, text } = reply;
      return new Response(error ? JSON.stringify({ title: '', status, error }) : (text ?? null), {
        status,
        ...(given && { headers: given }),
      });
    },
  });
  const place = () => service.settled(service.api.POST('/v1/orders/netvenue', ORDER));
  const failure = async () => {
    const error = await place().catch((each) => each);
    expect(error).to.be.instanceOf(ServiceError);
    return error as ServiceError; // as: expected above
  };
  return { service, received, place, failure };
}

/** An error of the service. */
export const problem = (status: number, error: object, headers = {}): Reply => ({
  status,
  headers,
  error: { code: 'VENUE_UNREACHABLE', message: 'Unreachable.', request_id: 'r', ...error },
});
