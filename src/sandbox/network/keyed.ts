import type { Route } from '../upstream.ts';

/** Accepts only calls with the key, bare or as a bearer token. */
export const keyed =
  (key: string) =>
  (response: Route['response']): Route['response'] =>
  (call) => {
    const given = call.headers.authorization?.replace(/^Bearer /, '');
    return given === key ? response(call) : { status: 401, body: { error: 'Unauthorized access' } };
  };
