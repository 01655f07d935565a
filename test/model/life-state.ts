export type AppKey = 'a' | 'b';
export type Status = 'provisioning' | 'evaluation' | 'funded' | 'eliminated' | 'subaccount_failed';

type Session = { token: string; isAlive: boolean };
/** A key of a trader. `madeIn`: the session that created it. `isProven`: its user has logged in since. */
type Key = { id: string; value: string; account: string; madeIn: string; isProven: boolean; isAlive: boolean };
/** `resumes`: what the account becomes once its money is back. */
export type Account = {
  id: string;
  tier: string;
  status: Status;
  subaccount: number | null;
  payment: string | null;
  resumes: Status | null;
};
/** `lost`: the refund or dispute that took its money. */
export type Payment = { id: string; processorId: string; status: string; account: string | null };
type Signature = { version: string; name: string; rowHash: string; place: number };

/** One person at one app. */
export type User = {
  app: AppKey;
  email: string;
  id: string | null;
  state: 'none' | 'unverified' | 'verified';
  /** The passwords of the sign-ups before the address was verified. */
  offered: string[];
  /** Null: none counts. */
  password: string | null;
  /** How many codes were mailed, whether the newest can be used, and how often another one was entered since. */
  codes: number;
  isCodeLive: boolean;
  wrong: number;
  resets: number;
  isResetLive: boolean;
  totp: 'off' | 'pending' | 'on';
  seed: string;
  totpSession: string;
  hasLoggedInByTotp: boolean;
  /** Codes that were used within the present step of time. */
  spent: string[];
  sessions: Session[];
  keys: Key[];
  signatures: Signature[];
  kyc: string;
  /** The newest verification if it counts, and the session that began it. */
  verification: { id: string; madeIn: string; hasEnded: boolean } | null;
  accounts: Account[];
  payments: Payment[];
};

type Secret = { value: string; ends: 'never' | 'later' | 'ended' };
type Token = { value: string; secret: string; scopes: string[]; isAlive: boolean };
export type App = {
  id: string;
  name: string;
  isActive: boolean;
  scopes: string[];
  /** Oldest first. */
  secrets: Secret[];
  tokens: Token[];
  signed: string[];
};

/** An event that was made true; `about`: what it is ordered by. `isDropped`: no endpoint may receive it. */
export type Happened = {
  app: AppKey;
  type: string;
  about: string;
  data: Record<string, unknown>;
  fate: 'sent' | 'waits' | 'dropped';
};

/** One possible truth about two apps and their people. A copy of it is another. */
export type State = {
  apps: Record<AppKey, App>;
  users: User[];
  events: Happened[];
  network: 'works' | 'rejects';
  /** What was true as a request began, where that is what its credentials are checked by. */
  start?: State;
};

/** What a truth does not explain. */
export class Unexplained extends Error {}

/** The truth at hand does not explain a reply. */
export function unlike(why: string): never {
  throw new Unexplained(why);
}

/** Somebody who has not signed up yet. */
export const person = (app: AppKey, email: string): User => ({
  app,
  email,
  id: null,
  state: 'none',
  offered: [],
  password: null,
  codes: 0,
  isCodeLive: false,
  wrong: 0,
  resets: 0,
  isResetLive: false,
  totp: 'off',
  seed: '',
  totpSession: '',
  hasLoggedInByTotp: false,
  spent: [],
  sessions: [],
  keys: [],
  signatures: [],
  kyc: 'unverified',
  verification: null,
  accounts: [],
  payments: [],
});

/** Something happens of which an app is told, once it is enabled. */
export function happens(s: State, app: AppKey, type: string, about: string, data: Record<string, unknown>): void {
  s.events.push({ app, type, about, data, fate: s.apps[app].isActive ? 'sent' : 'waits' });
}

/** An account is opened or moves, and its app is told. */
export function moves(s: State, user: User, account: Account, status: Status, before: Status | null): void {
  account.status = status;
  const data = {
    prop_account_id: account.id,
    user_id: user.id,
    payment_id: account.payment,
    status_before: before,
    status,
  };
  happens(s, user.app, 'account.updated', account.id, data);
}

/** The state of the verification of an identity; the app is told of another one. */
export function verifies(s: State, user: User, status: string): void {
  if (user.kyc === status) return;
  user.kyc = status;
  happens(s, user.app, 'kyc.updated', `kyc ${user.id}`, { user_id: user.id, kyc_status: status });
}

/** What ends with a session that somebody else removes. */
export function removeSession(s: State, user: User, token: string): State[] {
  const session = user.sessions.find((each) => each.token === token);
  if (session) session.isAlive = false;
  for (const key of user.keys) if (key.madeIn === token) key.isAlive = false;
  if (user.verification?.madeIn === token && user.kyc !== 'verified') dropVerification(s, user);
  return user.totpSession === token ? withoutUnused(s, user) : [s];
}

/** A verification that has not ended counts for nobody. */
export function dropVerification(s: State, user: User): void {
  user.verification = null;
  verifies(s, user, 'unverified');
}

/** An authenticator without its first code ends; of one that no log-in has used the documents leave it open. */
export function withoutUnused(s: State, user: User): State[] {
  if (user.totp === 'off' || (user.totp === 'on' && user.hasLoggedInByTotp)) return [s];
  const kept = user.totp === 'on' ? [structuredClone(s)] : [];
  user.totp = 'off';
  return [s, ...kept];
}

/** An account that a user means without naming one: the newest that may trade, or the newest. */
export const meantAccount = ({ accounts }: User): Account | undefined => accounts.findLast(mayTrade) ?? accounts.at(-1);

/** Whether an account may trade. */
export const mayTrade = ({ status }: Account): boolean => status === 'evaluation' || status === 'funded';

/** The person of this number. */
export const userOf = (s: State, who: number): User => s.users[who] ?? unlike(`nobody is ${who}`);
