import type { IncomingHttpHeaders } from 'node:http';
import { ADMIN_COOKIE_NAME } from '../kernel/cookies.ts';
import type { Principal } from '../kernel/principal.ts';
import type { RefusalCode } from '../kernel/refusals.ts';
import { covers } from '../kernel/scopes.ts';
import type { WebRuntime } from '../runtime.ts';
import { isOwnOrigin } from './origin.ts';

/** What a request says about its caller. */
export type Credentials = { method: string; headers: IncomingHttpHeaders };

type Scheme = {
  /** Whether the request shows a credential of this kind at all, right or wrong. */
  isShown(credentials: Credentials): boolean;
  /** Who it belongs to; null for a wrong one. `soFar` is who the schemes named before it in the same set found. */
  check(credentials: Credentials, runtime: WebRuntime, soFar: Principal): Promise<Principal | null>;
  refusal: RefusalCode;
  challenge: string;
  /** Why a caller that passed still lacks a scope or role the operation wants; undefined where it lacks none. */
  lacks?(principal: Principal, roles: string[]): RefusalCode | undefined;
};

const bearer = ({ headers }: Credentials, prefix = '') => {
  const token = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1];
  return token?.startsWith(prefix) ? token : undefined;
};

const cookie = ({ headers }: Credentials) =>
  new RegExp(`(?:^|;\\s*)${ADMIN_COOKIE_NAME}=(adm_[A-Za-z0-9_-]{1,128})(?:;|$)`).exec(headers.cookie ?? '')?.[1];

const sessionToken = ({ headers: { 'x-session-token': token } }: Credentials) =>
  typeof token === 'string' && token !== '' ? token.slice(0, 512) : undefined;

const traderKey = ({ headers: { 'x-api-key': key } }: Credentials) =>
  typeof key === 'string' && key !== '' ? key.slice(0, 512) : undefined;

const lacksEnrollment = (principal: Principal, roles: string[]) =>
  principal.kind === 'admin' && roles.includes('enrolled') && !principal.isEnrolled ? 'V2_TOTP_REQUIRED' : undefined;

/** How each security scheme of the contract is checked, and what a caller without it is told. */
const schemes: Record<string, Scheme> = {
  partnerKey: {
    isShown: (credentials) => bearer(credentials) !== undefined,
    check: async (credentials, { partners }) => {
      const key = bearer(credentials);
      return key ? partners(key) : null;
    },
    refusal: 'V1_KEY_INVALID',
    challenge: 'Bearer realm="v1"',
  },
  // Only that there is one: whether it is right shows over the raw body, which its handler has.
  processorSignature: {
    isShown: ({ headers }) => headers['stripe-signature'] !== undefined,
    check: async ({ headers }) => (headers['stripe-signature'] === undefined ? null : { kind: 'nobody', owner: '' }),
    refusal: 'V2_SIGNATURE_INVALID',
    challenge: 'Signature realm="v2 processor"',
  },
  clientBasic: {
    isShown: ({ headers }) => headers.authorization !== undefined,
    check: async ({ headers }, { clients }) => {
      const client = basic(headers.authorization);
      return client ? clients(client.id, client.secret) : null;
    },
    refusal: 'V2_INVALID_CREDENTIALS',
    challenge: 'Basic realm="v2 clients"',
  },
  appToken: {
    isShown: (credentials) => bearer(credentials) !== undefined,
    check: async (credentials, { apps }) => {
      const token = bearer(credentials);
      return token ? apps(token) : null;
    },
    refusal: 'V2_TOKEN_INVALID',
    challenge: 'Bearer realm="v2"',
    lacks: (principal, wanted) =>
      principal.kind === 'app' && !wanted.every((scope) => covers(principal.scopes, scope))
        ? 'V2_SCOPE_MISSING'
        : undefined,
  },
  userSession: {
    isShown: (credentials) => sessionToken(credentials) !== undefined,
    check: async (credentials, { users }, soFar) => {
      const token = sessionToken(credentials);
      return token && soFar.kind === 'app' ? users(token, soFar) : null;
    },
    refusal: 'V2_SESSION_INVALID',
    challenge: 'Session realm="v2 users"',
  },
  traderKey: {
    isShown: (credentials) => traderKey(credentials) !== undefined,
    check: async (credentials, { traders }) => {
      const key = traderKey(credentials);
      return key ? traders(key) : null;
    },
    refusal: 'V2_API_KEY_INVALID',
    challenge: 'ApiKey realm="v2 trading"',
  },
  adminCookie: {
    isShown: (credentials) => cookie(credentials) !== undefined,
    check: async (credentials, { admins, config }) => {
      const token = cookie(credentials);
      return token && isOwnOrigin(credentials, config.PUBLIC_URL) ? admins(token) : null;
    },
    refusal: 'V2_ADMIN_SESSION_INVALID',
    challenge: 'Session realm="v2 operators"',
    lacks: lacksEnrollment,
  },
  adminBearer: {
    isShown: (credentials) => bearer(credentials, 'adm_') !== undefined,
    check: async (credentials, { admins }) => {
      const token = bearer(credentials, 'adm_');
      return token ? admins(token) : null;
    },
    refusal: 'V2_ADMIN_SESSION_INVALID',
    challenge: 'Bearer realm="v2 operators"',
    lacks: lacksEnrollment,
  },
};

/** The scheme of a name. Throws at boot for a name of the contract that nobody checks. */
export function getScheme(name: string): Scheme {
  const scheme = schemes[name];
  if (!scheme) throw new Error(`No check for security scheme ${name}`);
  return scheme;
}

/** Client id and secret of a basic authorization, each decoded as a form's value (RFC 6749, section 2.3.1). */
function basic(authorization = ''): { id: string; secret: string } | null {
  const coded = /^Basic +([A-Za-z0-9+/=]{1,1024})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(coded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return null;
  try {
    return { id: formDecoded(id), secret: formDecoded(secret) };
  } catch {
    return null; // a per cent sign without its digits
  }
}

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
