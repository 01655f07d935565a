import { connect, ServiceError } from '../../../src/client/index.ts';
import { type Ask, asking } from '../identity.ts';

/** How requests of scenes are sent: by hand, and by the client, which repeats by itself. */
export const SENDERS = { 'by hand': asking, 'by the client': clientAsking };

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
      const { code, message, retryable, retryAfterMs, status, reason, fields, intentId } = error;
      const headers = new Headers({ 'Retry-After': String(retryAfterMs / 1_000) });
      return { status, headers, body: { error: { code, message, retryable, reason, fields, intent_id: intentId } } };
    }
  };
}
