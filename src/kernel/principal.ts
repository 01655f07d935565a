import { ApiError } from './errors.ts';
import type { AppId, Hotkey, OwnerId, PartnerId, PropAccountId, UserId } from './ids.ts';
import type { OperatorRole } from './operator-roles.ts';

/** The authenticated caller. `owner` identifies the tenant in every query. */
export type Principal = Nobody | Partner | App | User | Trader | Ticket | Admin;

/** The caller of an operation without authentication. It owns nothing. */
type Nobody = { kind: 'nobody'; owner: '' };
/** A partner: `owner` is its id, `keyId` the id of the key it called with, `perMinute` its quota of requests. */
export type Partner = { kind: 'partner'; owner: PartnerId; keyId: string; perMinute: number };

/** An app: `owner` is its id, `secretId` the id of the client secret behind its credentials or token, `perMinute` its quota of requests. */
export type App = {
  kind: 'app';
  owner: AppId;
  slug: string;
  entityHotkey: Hotkey | null;
  scopes: string[];
  perMinute: number;
  secretId: string;
  /** The SHA-256 of the token, in hex; null if the app authenticated with its secret. */
  tokenDigest: string | null;
  /** When the token expires, ISO-8601; null if the app authenticated with its secret. */
  expiresAt: string | null;
};

/** An end user of the app `owner`. `lacksProof`: the app requires a recent proof of the password, and there is none. */
export type User = {
  kind: 'user';
  owner: AppId;
  app: App;
  userId: UserId;
  sessionId: string;
  email: string;
  lacksProof: boolean;
};

/**
 * A trader's program with an API key. It may only trade one prop account of a user of the app `owner`, whose pages have
 * these `origins`, and whose quota of requests `perMinute` is shared by all its callers.
 */
export type Trader = {
  kind: 'trader';
  owner: AppId;
  userId: UserId;
  propAccountId: PropAccountId;
  keyId: string;
  perMinute: number;
  origins: readonly string[];
};

/**
 * The reader of one stream, by a ticket that a partner or an app issued: the stream of an account, or (null) of the
 * partner. It has the `credentials` and the `caller` of who issued it, and may do nothing else.
 */
export type Ticket = {
  kind: 'ticket';
  owner: OwnerId;
  caller: string;
  credentials: string[];
  propAccountId: PropAccountId | null;
  perMinute: number;
  origins: readonly string[];
};

/** An operator of the platform. It owns nothing. */
export type Admin = {
  kind: 'admin';
  owner: '';
  adminId: string;
  sessionId: string;
  email: string;
  role: OperatorRole;
  isEnrolled: boolean;
};

/**
 * The app behind a call of an app or of one of its users. Throws for other callers: the contract must not admit them.
 */
export function appOf(principal: Principal): App {
  if (principal.kind === 'user') return principal.app;
  if (principal.kind === 'app') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of apps`);
}

/** The partner of a call. Throws for other callers: the contract must not admit them. */
export function partnerOf(principal: Principal): Partner {
  if (principal.kind === 'partner') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of partners`);
}

/** The user of a call. Throws for other callers: the contract must not admit them. */
export function userOf(principal: Principal): User {
  if (principal.kind === 'user') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of users`);
}

/** The user of a call that needs a recent proof of the password where the app asks for it. V2_REAUTHENTICATION_REQUIRED. */
export function provenUserOf(principal: Principal): User {
  const user = userOf(principal);
  if (user.lacksProof) throw new ApiError('V2_REAUTHENTICATION_REQUIRED');
  return user;
}

/** The operator of a call. Throws for other callers: the contract must not admit them. */
export function adminOf(principal: Principal): Admin {
  if (principal.kind === 'admin') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of operators`);
}

/** The operator's name in the audit log: `admin:` and the id. The log also names people who act through psql. */
export const operatorName = (principal: Principal): string => `admin:${adminOf(principal).adminId}`;

/** The id of the partner key, or of the client secret behind the token, of a call; null for other credentials. */
export function credentialId(principal: Principal): string | null {
  if (principal.kind === 'partner') return principal.keyId;
  return principal.kind === 'app' || principal.kind === 'user' ? appOf(principal).secretId : null;
}

/** The id of the caller within its tenant: the user, the trader's prop account or the operator; else the tenant. */
export function callerId(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId;
  if (principal.kind === 'trader') return principal.propAccountId;
  if (principal.kind === 'ticket') return principal.caller;
  return principal.kind === 'admin' ? principal.adminId : principal.owner;
}

/**
 * Every scope an app can hold. `api` covers all but `payouts:write`; `reads` covers every read but those of webhooks and
 * of operators; `*` covers everything.
 */
export const scopes = ['api', 'webhooks', 'reads', 'trading', 'payouts:write', '*'] as const;
/** A scope an app can hold. */
export type Scope = (typeof scopes)[number];

/** The scopes of an app that acts for its own users only. */
export const ORDINARY_SCOPES: readonly Scope[] = scopes.filter((scope) => scope !== '*');

const NOT_IN_API = new Set(['payouts:write', '*']);
const READ_SCOPES = new Set(['api', 'trading']);

/** Whether the `held` scopes cover the `required` one; for a read, `reads` covers `api` and `trading`. */
export const covers = (held: readonly string[], required: string, isRead = false): boolean =>
  held.includes(required) ||
  held.includes('*') ||
  (held.includes('api') && !NOT_IN_API.has(required)) ||
  (isRead && held.includes('reads') && READ_SCOPES.has(required));

/** The requested scopes that are known and covered by the `held` ones, each once. Others are dropped. */
export const grant = (held: readonly string[], requested: readonly string[]): Scope[] =>
  scopes.filter((scope) => requested.includes(scope) && covers(held, scope));
