import type { Call, Reported, Route } from '../upstream.ts';
import { rejected } from './world.ts';

/** A form's members by their names on the wire, for example `metadata[user_id]`. */
export type Form = URLSearchParams;

/** The metadata of a form. */
export const metadataOf = (form: Form): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[([^\]]+)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value]];
    }),
  );

/** An integer member of a form, or null. */
export const wholeOf = (form: Form, name: string): number | null => {
  const value = Number(form.get(name) ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : null;
};

type FormHandler = (form: Form, call: Call) => Reported;

/** Earlier responses by Idempotency-Key. */
export type Responses = Map<string, { request: string; data: Reported }>;

/**
 * Creates the routes of the API. They require the current secret key, and at a connected account that it belongs to the platform. A POST with
 * a known Idempotency-Key repeats its response.
 */
export const apiRoutes = (secretKey: () => string, isGone: (account: string) => boolean, known: Responses) => {
  const authorized =
    (response: Route['response']): Route['response'] =>
    (call) => {
      if (call.headers.authorization !== `Bearer ${secretKey()}`) return rejected(401, 'api_key_invalid');
      const account = call.headers['stripe-account'];
      return account !== undefined && isGone(String(account)) ? rejected(403, 'account_invalid') : response(call);
    };
  return {
    get: (path: string, response: (call: Call) => Reported): Route => ({
      method: 'GET',
      path,
      response: authorized(response),
    }),
    post: (path: string, response: FormHandler): Route => ({
      method: 'POST',
      path,
      rejection: () => rejected(400, 'scripted_rejection'),
      response: authorized((call) => {
        const request = `${path} ${JSON.stringify(call.params)} ${call.text}`;
        const key = call.headers['idempotency-key'];
        const earlier = key === undefined ? undefined : known.get(String(key));
        if (earlier)
          return earlier.request === request
            ? { ...earlier.data, headers: { ...earlier.data.headers, 'idempotent-replayed': 'true' } }
            : rejected(400, 'idempotency_key_in_use', 'idempotency_error');
        const data = response(new URLSearchParams(call.text), call);
        if (key !== undefined) known.set(String(key), { request, data: structuredClone(data) });
        return data;
      }),
    }),
  };
};

/** The two factories of API routes. */
export type Api = ReturnType<typeof apiRoutes>;
