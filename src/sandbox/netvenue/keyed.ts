import type { Route } from '../party.ts';

/** Lets a call pass with the key, bare or as a bearer. */
export const keyed =
  (key: string) =>
  (answer: Route['answer']): Route['answer'] =>
  (call) => {
    const given = call.headers.authorization?.replace(/^Bearer /, '');
    return given === key ? answer(call) : { status: 401, body: { error: 'Unauthorized access' } };
  };
