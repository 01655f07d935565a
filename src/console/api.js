/** @typedef {import('../contract/types.ts').paths} paths */
/** @typedef {import('../contract/types.ts').components['schemas']} Schemas */
/** @typedef {'get' | 'post' | 'patch' | 'put' | 'delete'} Method */
/** @typedef {string | number | undefined | null} Query */
/** @typedef {{ path?: Record<string, string>, query?: Record<string, Query>, body?: unknown, key?: string, isLogIn?: boolean }} Requested `isLogIn`: a request of the log-in itself; its errors are not retried */
/**
 * @template {Method} M
 * @typedef {{ [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths]} PathsWith The contract's paths with that method
 */
/**
 * @template O
 * @typedef {O extends { responses: { 200: { content: { 'application/json': infer B } } } } ? B : never} Reply
 */

/** @typedef {Partial<Omit<Schemas['Problem']['error'], 'code'>> & { code?: string }} ErrorMembers With codes of the console's own */

/** An error response of the service, or no response. `code` is the error's code; `fields` lists the invalid members. */
export class RequestFailure extends Error {
  /** @param {number} status @param {ErrorMembers | undefined} error @param {string | null} [retryAfter] of the response, in seconds */
  constructor(status, error, retryAfter = null) {
    super(error?.message ?? 'The response does not match the contract.');
    this.status = status;
    this.code = error?.code ?? `HTTP_${status}`;
    this.fields = error?.fields ?? [];
    this.requestId = error?.request_id ?? '';
    this.retryAfter = retryAfter;
  }
}

export const UNREACHED = 'No response from the service. Press the same button to retry; nothing is done twice.';
const LONGEST_MS = 40_000; // the service responds within 26 s
const LOGGED_OUT = 'Your session had ended and nothing was done. You are logged in again: press the button again.';

/** Sent with every request: the credentials of the workbench. The console's are in a cookie. @type {Record<string, string>} */
let credentials = {};

/** Sets what every request carries from now on. It is kept in memory alone. @param {Record<string, string>} headers */
export function presentAs(headers) {
  credentials = headers;
}

/** The headers that every request carries. */
export const presented = () => credentials;

/** @type {() => void} */
let requireCaller = () => {};

/** Sets what is checked before every request but those of the log-in: it throws where the request would be another caller's. @param {typeof requireCaller} check */
export function beforeRequests(check) {
  requireCaller = check;
}

/** @type {(error: RequestFailure) => Promise<void>} */
let renewSession = async (error) => {
  throw error;
};

/** Sets the function that renews a session when there is none, or one without an authenticator. @param {typeof renewSession} renew */
export function onSessionEnd(renew) {
  renewSession = renew;
}

/**
 * Sends a request in the operator's session. If the session has ended, a read waits for the log-in and is repeated. A
 * write fails, so that the operator decides again.
 * @template {Method} M
 * @template {PathsWith<M>} P
 * @param {M} method
 * @param {P} path
 * @param {Requested} [requested]
 * @returns {Promise<Reply<paths[P][M]>>}
 */
export const ask = async (method, path, requested = {}) => (await askWhole(method, path, requested)).body;

/**
 * Reads a page of a list. `next` is the cursor of the following page, or null.
 * @template {PathsWith<'get'>} P
 * @param {P} path
 * @param {Requested} [requested]
 * @returns {Promise<{ items: Reply<paths[P]['get']>, next: string | null }>}
 */
export async function askPage(path, requested = {}) {
  const { body, headers } = await askWhole('get', path, requested);
  const link = /<([^>]+)>; *rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return { items: body, next: link ? new URL(link, location.href).searchParams.get('cursor') : null };
}

/** Reads a path with the headers of its response. @param {string} path */
export const askWithHeaders = (path) => askWhole('get', path, {});

/**
 * @param {Method} method @param {string} path @param {Requested} requested
 * @returns {Promise<{ body: any, headers: Headers }>} `body`: any, because its type depends on the operation
 */
async function askWhole(method, path, requested) {
  if (!requested.isLogIn) requireCaller();
  try {
    return await send(method, path, requested);
  } catch (error) {
    if (!(error instanceof RequestFailure) || !sessionIsGone(error) || requested.isLogIn) throw error;
    await renewSession(error);
    if (method === 'get') return askWhole(method, path, requested);
    throw new RequestFailure(error.status, { code: error.code, message: LOGGED_OUT });
  }
}

/** @param {RequestFailure} error */
const sessionIsGone = ({ code }) =>
  ['V2_ADMIN_SESSION_INVALID', 'V2_TOTP_REQUIRED', 'V1_KEY_INVALID', 'V2_TOKEN_INVALID'].includes(code);

/** @param {Method} method @param {string} path @param {Requested} requested */
async function send(method, path, { path: members = {}, query = {}, body, key }) {
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(members[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) => (value || value === 0 ? [[name, `${value}`]] : []));
  const response = await fetch(`${url}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`, {
    method: method.toUpperCase(),
    cache: 'no-store',
    signal: AbortSignal.timeout(LONGEST_MS),
    headers: {
      ...credentials,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new RequestFailure(0, { code: 'NO_RESPONSE', message: UNREACHED });
  });
  const json = await response.json().catch(() => undefined);
  if (response.ok && json === undefined) throw new RequestFailure(0, { code: 'NO_RESPONSE', message: UNREACHED }); // cut, or a gateway's
  if (!response.ok || json?.error?.code === 'V2_APPROVAL_REQUIRED') {
    const error = json?.error ?? (response.status >= 500 ? { message: UNREACHED } : undefined);
    throw new RequestFailure(response.status, error, response.headers.get('Retry-After'));
  }
  return { body: json, headers: response.headers };
}
