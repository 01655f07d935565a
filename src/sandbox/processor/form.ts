import type { Call, Route, Said } from '../party.ts';
import { refused } from './world.ts';

/** A form's members by their spelling on the wire, `metadata[user_id]` for one. */
export type Form = URLSearchParams;

/** The metadata of a form. */
export const metadataOf = (form: Form): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[([^\]]+)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value]];
    }),
  );

/** A whole number of a form, or null. */
export const wholeOf = (form: Form, name: string): number | null => {
  const value = Number(form.get(name) ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : null;
};

type Answer = (form: Form, call: Call) => Said;

/** Answers given before, by their Idempotency-Key. */
export type Answers = Map<string, { request: string; said: Said }>;

/** Makes the routes of the API: the secret key is wanted, and a POST under a known Idempotency-Key is answered as before. */
export const apiRoutes = (secretKey: string, known: Answers) => {
  const authorized =
    (answer: Route['answer']): Route['answer'] =>
    (call) =>
      call.headers.authorization === `Bearer ${secretKey}` ? answer(call) : refused(401, 'api_key_invalid');
  return {
    get: (path: string, answer: (call: Call) => Said): Route => ({ method: 'GET', path, answer: authorized(answer) }),
    post: (path: string, answer: Answer): Route => ({
      method: 'POST',
      path,
      refusal: () => refused(400, 'scripted_refusal'),
      answer: authorized((call) => {
        const request = `${path} ${JSON.stringify(call.params)} ${call.text}`;
        const key = call.headers['idempotency-key'];
        const earlier = key === undefined ? undefined : known.get(String(key));
        if (earlier)
          return earlier.request === request
            ? earlier.said
            : refused(400, 'idempotency_key_in_use', 'idempotency_error');
        const said = answer(new URLSearchParams(call.text), call);
        if (key !== undefined) known.set(String(key), { request, said: structuredClone(said) });
        return said;
      }),
    }),
  };
};

export type Api = ReturnType<typeof apiRoutes>;
