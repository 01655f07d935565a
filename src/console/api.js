/** @typedef {import('../contract/types.ts').paths} paths */
/** @typedef {import('../contract/types.ts').components['schemas']} Schemas */
/** @typedef {'get' | 'post' | 'patch' | 'put' | 'delete'} Method */
/** @typedef {string | number | undefined | null} Query */
/** @typedef {{ path?: Record<string, string>, query?: Record<string, Query>, body?: unknown, key?: string, isLogIn?: boolean }} Asked `isLogIn`: a part of logging in, refused as it is */
/**
 * @template {Method} M
 * @typedef {{ [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths]} PathsWith The contract's paths with that method
 */
/**
 * @template O
 * @typedef {O extends { responses: { 200: { content: { 'application/json': infer B } } } } ? B : never} Answer
 */

/** An expected no of the service, or the lack of an answer. `code` names it; `fields` say what was wrong with the request. */
export class Refused extends Error {
  /** @param {number} status @param {Partial<Schemas['Problem']['error']> | undefined} error */
  constructor(status, error) {
    super(error?.message ?? 'The service answered with something else than its contract says.');
    this.status = status;
    this.code = error?.code ?? `HTTP_${status}`;
    this.fields = error?.fields ?? [];
    this.requestId = error?.request_id ?? '';
  }
}

const UNREACHED = 'The service did not answer. The same button asks again; nothing is done twice.';
const LOGGED_OUT = 'Your session had ended and nothing was done. You are logged in again: press once more.';

/** @type {(error: Refused) => Promise<void>} */
let renewSession = async (error) => {
  throw error;
};

/** Sets what brings a session back when the service knows none, or one without an authenticator. @param {typeof renewSession} renew */
export function onSessionEnd(renew) {
  renewSession = renew;
}

/**
 * Asks the service as whoever holds the session. When that has ended a read waits for the log-in and is asked again; a write
 * is refused, and the operator decides anew.
 * @template {Method} M
 * @template {PathsWith<M>} P
 * @param {M} method
 * @param {P} path
 * @param {Asked} [asked]
 * @returns {Promise<Answer<paths[P][M]>>}
 */
export const ask = async (method, path, asked = {}) => (await askWhole(method, path, asked)).body;

/**
 * Asks for a page of a list; `next` is the cursor of the page after it, or null.
 * @template {PathsWith<'get'>} P
 * @param {P} path
 * @param {Asked} [asked]
 * @returns {Promise<{ items: Answer<paths[P]['get']>, next: string | null }>}
 */
export async function askPage(path, asked = {}) {
  const { body, headers } = await askWhole('get', path, asked);
  const link = /<([^>]+)>; *rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return { items: body, next: link ? new URL(link, location.href).searchParams.get('cursor') : null };
}

/**
 * @param {Method} method @param {string} path @param {Asked} asked
 * @returns {Promise<{ body: any, headers: Headers }>} what the contract says of that operation
 */
async function askWhole(method, path, asked) {
  try {
    return await send(method, path, asked);
  } catch (error) {
    if (!(error instanceof Refused) || !sessionIsGone(error) || asked.isLogIn) throw error;
    await renewSession(error);
    if (method === 'get') return askWhole(method, path, asked);
    throw new Refused(error.status, { code: error.code, message: LOGGED_OUT });
  }
}

/** @param {Refused} error */
const sessionIsGone = ({ code }) => code === 'V2_ADMIN_SESSION_INVALID' || code === 'V2_TOTP_REQUIRED';

/** @param {Method} method @param {string} path @param {Asked} asked */
async function send(method, path, { path: members = {}, query = {}, body, key }) {
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(members[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) => (value || value === 0 ? [[name, `${value}`]] : []));
  const response = await fetch(`${url}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`, {
    method: method.toUpperCase(),
    cache: 'no-store',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refused(0, { code: 'NO_ANSWER', message: UNREACHED });
  });
  const answer = await response.json().catch(() => undefined);
  if (!response.ok) throw new Refused(response.status, answer?.error);
  return { body: answer, headers: response.headers };
}
