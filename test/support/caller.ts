import got, { type Method, type Response } from 'got';

// Tests read bodies of every shape; the service itself checks each response against the contract.
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyBody = any;

export type Reply = { status: number; headers: Response['headers']; body: AnyBody };
type Extra = { headers?: Record<string, string | undefined>; prefer?: string; key?: string; raw?: string };

/** A caller of the service with its credentials. */
export type Caller = {
  url: string;
  key: string;
  /** Headers of every request. */
  headers: Record<string, string>;
  get(path: string, extra?: Extra): Promise<Reply>;
  post(path: string, body?: unknown, extra?: Extra): Promise<Reply>;
  delete(path: string, extra?: Extra): Promise<Reply>;
  /** Polls the `Location` of a 202 until it is neither pending nor unknown, for at most `withinMs`. */
  poll(reply: Reply, withinMs?: number): Promise<AnyBody>;
  /** The same with the intent of a 202. */
  pollIntent(reply: Reply, withinMs?: number): Promise<AnyBody>;
};

/** A caller with a bearer credential and additional headers. */
export function caller(url: string, key: string, fixture: Record<string, string> = {}): Caller {
  const ask = async (method: Method, path: string, body: unknown, extra: Extra = {}): Promise<Reply> => {
    const response = await got(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...fixture, ...special(extra), ...extra.headers },
      ...(extra.raw !== undefined ? { body: extra.raw } : body !== undefined && { json: body }),
      throwHttpErrors: false,
      retry: { limit: 0 },
      followRedirect: false,
    });
    return { status: response.statusCode, headers: response.headers, body: parsed(response.body) };
  };
  const get: Caller['get'] = (path, extra) => ask('GET', path, undefined, extra);
  const ended = async (path: string, withinMs = 10_000): Promise<AnyBody> => {
    const until = Date.now() + withinMs;
    for (;;) {
      const { body } = await get(path);
      const open = ['pending', 'unknown', 'queued', 'running', 'in_doubt'].includes(body.status ?? body.state);
      if (!open || Date.now() > until) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    url,
    key,
    headers: fixture,
    get,
    post: (path, body, extra) => ask('POST', path, body, extra),
    delete: (path, extra) => ask('DELETE', path, undefined, extra),
    poll: ({ headers }, withinMs) => ended(String(headers.location), withinMs),
    pollIntent: ({ headers }, withinMs) => ended(`/v1/intents/${headers['intent-id']}`, withinMs),
  };
}

const special = ({ prefer, key, raw }: Extra) => ({
  ...(prefer !== undefined && { Prefer: prefer }),
  ...(key !== undefined && { 'Idempotency-Key': key }),
  ...(raw !== undefined && { 'Content-Type': 'application/json' }),
});

const parsed = (text: string): AnyBody => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};
