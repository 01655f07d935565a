import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import type { Operation, Requirement } from '../contract/document.ts';
import { ADMIN_COOKIE_NAME } from '../kernel/cookies.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { ApiError } from '../kernel/errors.ts';
import { coversRole, requiredRole } from '../kernel/operator-roles.ts';
import type { Principal } from '../kernel/principal.ts';
import { covers } from '../kernel/principal.ts';
import { noteWork } from '../kernel/work.ts';
import { isStorable } from './body.ts';
import type { Authenticators, EdgeDeps } from './deps.ts';

/** The caller before any credential has been checked. */
export const nobody: Principal = { kind: 'nobody', owner: '' };

/** Called with the owner of valid credentials who lacks a scope or role, and the error. */
export type OnLack = (principal: Principal, lack: ApiError) => Promise<void>;

/**
 * Authenticates the caller of an operation. It uses the first set of schemes in the contract for which the request
 * presents all credentials; each of them must be valid. Throws an `ApiError`: 401 for missing or wrong credentials, 403
 * for a missing scope or role, after `onLack` has ended.
 */
export async function authenticate(
  operation: Operation,
  credentials: Credentials,
  deps: SchemeDeps,
  onLack: OnLack = async () => {},
): Promise<Principal> {
  const { security } = operation;
  const set = security.find((requirements) => isShown(requirements, credentials)) ?? security[0] ?? [];
  let principal = nobody;
  for (const { scheme: name, roles } of set) {
    const scheme = getScheme(name);
    const found = await scheme.check(credentials, deps, principal);
    if (!found) throw unauthorized(scheme, scheme.isShown(credentials));
    if (found.owner) noteWork({ tenant: found.owner }); // what is read for this request from here on counts for this tenant
    const lack = scheme.lacks?.(found, roles, operation);
    if (lack) {
      await onLack(found, lack);
      throw lack;
    }
    principal = found;
  }
  return principal;
}

const isShown = (requirements: Requirement[], credentials: Credentials) =>
  requirements.every(({ scheme }) => getScheme(scheme).isShown(credentials));

const unauthorized = (scheme: Scheme, isShown: boolean) =>
  new ApiError(scheme.apiError, { headers: { 'WWW-Authenticate': challengeTo(scheme, isShown) } });

/** A bearer token that was presented and is wrong is named as such (RFC 6750, section 3.1). */
const challengeTo = ({ challenge }: Scheme, isShown: boolean) =>
  isShown && challenge.startsWith('Bearer') ? `${challenge}, error="invalid_token"` : challenge;

/** The challenge to a caller whose credential is found to have ended after it was checked. Undefined for an error of no scheme. */
export function challengeOf(code: ErrorCode): string | undefined {
  const scheme = Object.values(schemes).find(({ apiError }) => apiError === code);
  return scheme && challengeTo(scheme, true);
}

/** The parts of a request that identify its caller. */
export type Credentials = { method: string; headers: IncomingHttpHeaders; query?: ParsedUrlQuery };

/** The authenticators, and the public URL, whose pages may use the operator's cookie. */
export type SchemeDeps = Authenticators & Pick<EdgeDeps, 'config'>;

type Scheme = {
  /** Whether the request presents a credential of this kind, right or wrong. */
  isShown(credentials: Credentials): boolean;
  /**
   * The owner of the credential; null for a wrong one. `soFar` is the principal found by the earlier schemes of the
   * set.
   */
  check(credentials: Credentials, deps: SchemeDeps, soFar: Principal): Promise<Principal | null>;
  apiError: ErrorCode;
  challenge: string;
  /** The error for an authenticated caller without a required scope or role; undefined if nothing is missing. */
  lacks?(principal: Principal, roles: string[], operation: Operation): ApiError | undefined;
};

const bearer = ({ headers }: Credentials) => /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1];

const operatorToken = (credentials: Credentials) => {
  const token = bearer(credentials);
  return token?.startsWith('adm_') ? token : undefined;
};

const cookie = ({ headers }: Credentials) =>
  new RegExp(`(?:^|;\\s*)${ADMIN_COOKIE_NAME}=(adm_[A-Za-z0-9_-]{1,128})(?:;|$)`).exec(headers.cookie ?? '')?.[1];

const sessionToken = ({ headers: { 'x-session-token': token } }: Credentials) =>
  typeof token === 'string' && token !== '' ? token.slice(0, 512) : undefined;

const traderKey = ({ headers: { 'x-api-key': key } }: Credentials) =>
  typeof key === 'string' && key !== '' ? key.slice(0, 512) : undefined;

const streamTicket = ({ query }: Credentials) =>
  typeof query?.ticket === 'string' && query.ticket !== '' ? query.ticket.slice(0, 512) : undefined;

/** The error of an operator without an authenticator, or without the role that the operation needs. */
function lacksRights(principal: Principal, roles: string[], { id }: Operation): ApiError | undefined {
  if (principal.kind !== 'admin') return undefined;
  if (roles.includes('enrolled') && !principal.isEnrolled) return new ApiError('V2_TOTP_REQUIRED');
  const role = requiredRole(roles, id);
  if (coversRole(principal.role, role)) return undefined;
  return new ApiError('V2_ROLE_MISSING', { message: `This needs the role ${role}; yours is ${principal.role}.` });
}

/** The error of a token without a required scope; it names the scope, also in the header (RFC 6750, section 3.1). */
function lacksScope(principal: Principal, required: string[], { method }: Operation): ApiError | undefined {
  if (principal.kind !== 'app') return undefined;
  const scope = required.find((each) => !covers(principal.scopes, each, method === 'get'));
  if (scope === undefined) return undefined;
  return new ApiError('V2_SCOPE_MISSING', {
    message: `The access token lacks the scope ${scope}; request it with the token, or ask an operator to allow it.`,
    headers: { 'WWW-Authenticate': `Bearer realm="v2", error="insufficient_scope", scope="${scope}"` },
  });
}

/** A scheme of one token: not shown where `read` finds none; `find` resolves to its principal. */
const byToken = (
  read: (credentials: Credentials) => string | undefined,
  find: (token: string, deps: SchemeDeps, soFar: Principal) => Promise<Principal | null> | null,
): Pick<Scheme, 'isShown' | 'check'> => ({
  isShown: (credentials) => read(credentials) !== undefined,
  check: async (credentials, deps, soFar) => {
    const token = read(credentials);
    return token ? find(token, deps, soFar) : null;
  },
});

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Guards the operator's cookie against requests from pages of another origin. Returns true for safe methods and for our
 * own origin, else throws FORBIDDEN_ORIGIN. Browsers send `Origin` with every unsafe request (Fetch standard, 3.2), so
 * a request without it is rejected.
 */
function requireSameOrigin(request: { method: string; headers: IncomingHttpHeaders }, publicUrl: string): true {
  const { origin, host } = request.headers;
  if (SAFE.has(request.method)) return true;
  if (origin !== undefined && URL.canParse(origin)) {
    const from = new URL(origin);
    const publicOrigin = new URL(publicUrl);
    if (from.origin === publicOrigin.origin || (from.host === host && from.protocol === publicOrigin.protocol))
      return true;
  }
  throw new ApiError('FORBIDDEN_ORIGIN');
}

/** The check of each security scheme of the contract, and the error and challenge for a caller that fails it. */
const schemes: Record<string, Scheme> = {
  partnerKey: {
    ...byToken(bearer, (key, { partners }) => partners(key)),
    apiError: 'V1_KEY_INVALID',
    challenge: 'Bearer realm="v1"',
  },
  // Checks only that a signature is present. The handler verifies it with the raw body.
  processorSignature: {
    isShown: ({ headers }) => headers['stripe-signature'] !== undefined,
    check: async ({ headers }) => (headers['stripe-signature'] === undefined ? null : { kind: 'nobody', owner: '' }),
    apiError: 'V2_SIGNATURE_INVALID',
    challenge: 'Signature realm="v2 processor"',
  },
  clientBasic: {
    isShown: ({ headers }) => headers.authorization !== undefined,
    check: async ({ headers }, { clients }) => {
      const client = basic(headers.authorization);
      return client ? clients(client.id, client.secret) : null;
    },
    apiError: 'V2_INVALID_CREDENTIALS',
    challenge: 'Basic realm="v2 clients"',
  },
  appToken: {
    ...byToken(bearer, (token, { apps }) => apps(token)),
    apiError: 'V2_TOKEN_INVALID',
    challenge: 'Bearer realm="v2"',
    lacks: lacksScope,
  },
  userSession: {
    ...byToken(sessionToken, (token, { users }, soFar) => (soFar.kind === 'app' ? users(token, soFar) : null)),
    apiError: 'V2_SESSION_INVALID',
    challenge: 'Session realm="v2 users"',
  },
  traderKey: {
    ...byToken(traderKey, (key, { traders }) => traders(key)),
    apiError: 'V2_API_KEY_INVALID',
    challenge: 'ApiKey realm="v2 trading"',
  },
  partnerTicket: {
    ...byToken(streamTicket, (ticket, { partnerTickets }) => partnerTickets(ticket)),
    apiError: 'V1_STREAM_TICKET_INVALID',
    challenge: 'Ticket realm="v1 stream"',
  },
  accountTicket: {
    ...byToken(streamTicket, (ticket, { accountTickets }) => accountTickets(ticket)),
    apiError: 'V2_STREAM_TICKET_INVALID',
    challenge: 'Ticket realm="v2 trading stream"',
  },
  adminCookie: {
    isShown: (credentials) => cookie(credentials) !== undefined,
    check: async (credentials, { admins, config }) => {
      const token = cookie(credentials);
      return token && requireSameOrigin(credentials, config.PUBLIC_URL) ? admins(token) : null;
    },
    apiError: 'V2_ADMIN_SESSION_INVALID',
    challenge: 'Session realm="v2 operators"',
    lacks: lacksRights,
  },
  adminBearer: {
    ...byToken(operatorToken, (token, { admins }) => admins(token)),
    apiError: 'V2_ADMIN_SESSION_INVALID',
    challenge: 'Bearer realm="v2 operators"',
    lacks: lacksRights,
  },
};

/** The scheme with a name. Throws, at boot, for a scheme of the contract that has no check. */
export function getScheme(name: string): Scheme {
  const scheme = schemes[name];
  if (!scheme) throw new Error(`No check for security scheme ${name}`);
  return scheme;
}

/**
 * The client id and secret of a Basic authorization, each form-decoded (RFC 6749, section 2.3.1). Null if malformed.
 */
function basic(authorization = ''): { id: string; secret: string } | null {
  const coded = /^Basic +([A-Za-z0-9+/=]{1,1024})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(coded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return null;
  try {
    const client = { id: formDecoded(id), secret: formDecoded(secret) };
    return isStorable(client.id) ? client : null; // no id has such a character, and the database rejects it
  } catch {
    return null; // a percent sign without two hex digits
  }
}

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
