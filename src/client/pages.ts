import { errorOf } from './errors.ts';
import { requireExchange } from './settled.ts';
import type { Transport } from './transport.ts';

/**
 * The rows of a list from its first response on, page by page: each `Link` with rel="next" is followed when its page is
 * needed. Throws a `ServiceError`.
 */
export async function* rowsFrom<Row>(calls: Transport, baseUrl: string, first: Response): AsyncGenerator<Row, void> {
  for (let response = first; ; ) {
    const { sent, text } = requireExchange(calls, response);
    if (!response.ok) throw errorOf({ text, response });
    yield* JSON.parse(text) as Row[]; // as: every list is an array
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    if (next === undefined) return;
    response = await calls.send({ ...sent, url: next.startsWith('/') ? baseUrl + next : next });
  }
}
