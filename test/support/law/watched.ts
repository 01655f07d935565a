import type { Data } from '../identity.ts';

/** A response that is an error, and the pause that it asks for in seconds. */
type Rejection = { reply: Data; pauseS: number };

/** The calls that tests and clients send by the global `fetch`. */
export type WatchedCalls = {
  /** `METHOD /path?query`, in order. */
  calls: string[];
  /** Resolves once a request under this Idempotency-Key, or a read, was rejected. */
  rejection(key: string): Promise<Rejection>;
  /** Ends the watch. */
  stop(): void;
};

/** Watches the global `fetch`, which clients made from now on use. */
export function watchCalls(): WatchedCalls {
  const real = globalThis.fetch;
  const calls: string[] = [];
  const waiting = new Map<string, (rejection: Rejection) => void>();
  globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    calls.push(`${init?.method ?? 'GET'} ${pathname}${search}`);
    const response = await real(input, init);
    const told = waiting.get(new Headers(init?.headers).get('Idempotency-Key') ?? '');
    if (told && response.headers.get('content-type')?.includes('json')) {
      const { status, headers } = response;
      const body = (await response.clone().json()) as Data['body'];
      const pauseS = Number(headers.get('retry-after') ?? 0);
      if (body?.error) told({ reply: { status, headers, body }, pauseS });
    }
    return response;
  };
  return {
    calls,
    rejection: (key) => new Promise((resolve) => [key, ''].forEach((name) => void waiting.set(name, resolve))),
    stop() {
      globalThis.fetch = real;
    },
  };
}
