/** Who is calling, once the credentials have been checked. `owner` names the tenant in every query. */
export type Principal = Nobody | Partner | App | User | Trader | Admin;

/** The caller of an open operation; owns nothing. */
type Nobody = { kind: 'nobody'; owner: '' };
export type Partner = { kind: 'partner'; owner: string };

/** A tenant app: `owner` is its id, `secretId` the secret its credentials or token go back to. */
export type App = {
  kind: 'app';
  owner: string;
  slug: string;
  entityHotkey: string | null;
  scopes: string[];
  secretId: string;
  /** SHA-256 of the token, in hex; null where the app came with its secret itself. */
  tokenDigest: string | null;
  /** When the token ends, ISO-8601; null where the app came with its secret itself. */
  expiresAt: string | null;
};

/** An end user, through the app that `owner` names. */
export type User = { kind: 'user'; owner: string; app: App; userId: string; sessionId: string; email: string };

/** A trader's program by its API key: it trades one prop account of a user of the app that `owner` names, and no more. */
export type Trader = { kind: 'trader'; owner: string; userId: string; propAccountId: string; keyId: string };

/** An operator of the platform; owns nothing of a tenant's. */
export type Admin = {
  kind: 'admin';
  owner: '';
  adminId: string;
  sessionId: string;
  email: string;
  isSuperadmin: boolean;
  isEnrolled: boolean;
};

/** The app behind a call of an app or of one of its users. Throws for a contract that lets others through. */
export function appOf(principal: Principal): App {
  if (principal.kind === 'user') return principal.app;
  if (principal.kind === 'app') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of apps`);
}

/** The user of a call that names both. Throws for a contract that lets others through. */
export function userOf(principal: Principal): User {
  if (principal.kind === 'user') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of users`);
}

/** The operator of a call. Throws for a contract that lets others through. */
export function adminOf(principal: Principal): Admin {
  if (principal.kind === 'admin') return principal;
  throw new Error(`The contract lets ${principal.kind} call an operation of operators`);
}

/** The operator of a call as named in what is kept of actions, which people at psql take as well. */
export const operatorName = (principal: Principal): string => `admin:${adminOf(principal).adminId}`;

/** Who of a tenant is calling: the user, operator or a trader's account where there is one, else the tenant. */
export function callerId(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId;
  if (principal.kind === 'trader') return principal.propAccountId;
  return principal.kind === 'admin' ? principal.adminId : principal.owner;
}
