import type { Throttle } from '../../db/throttles.ts';
import { type HashLane, hashPassword, isOutdated, matchPassword } from '../../kernel/passwords.ts';
import { type Budget, budgetOf } from '../../kernel/throttles.ts';
import { stepOf } from '../../kernel/totp.ts';
import type { LoginRow } from './row.ts';

/** A log-in to check: what was given, the row of its address, and whose turn a hash takes. */
export type LoginAttempt = {
  row: LoginRow;
  given: { password: string; totp_code?: string };
  lane: HashLane;
  /** Counts the attempt, before anything is compared. */
  countAttempt(): Promise<void>;
  /** Counts an attempt at the authenticator's code, before it is compared. Returns what to do if the code is wrong. */
  countCodeAttempt(accountId: string): Promise<() => Promise<void>>;
  openSeed(sealedSeed: Buffer, accountId: string): string;
};

/**
 * A log-in that may open a session. `hash`: the hash that the password matched. `newHash`: its replacement if its
 * parameters are outdated. `step`: the time step of the authenticator code; null without an authenticator.
 */
export type CheckedLogin = { accountId: string; hash: string; newHash: string | null; step: number | null };

/** A session just opened. The token is shown once. */
export type OpenedSession = { token: string; expiresAt: string };

/** A log-in whose password is right. Without a code that is needed it opens no session. */
export type RightLogin = ({ kind: 'passed' } & CheckedLogin) | { kind: 'code_missing'; accountId: string };

/** The result of a log-in. `sign_up`: the password is that of a sign-up of the address, which owns nothing. */
export type LoginResult =
  | RightLogin
  | { kind: 'code_wrong'; accountId: string }
  | { kind: 'password_wrong' }
  | { kind: 'sign_up' };

/**
 * The one path of a log-in, of users and operators: counts the attempt, compares the password, counts the attempt at the
 * authenticator's code, and compares that if one is enrolled. An unknown address takes as long as a wrong password. The
 * database enforces that a code is accepted once. Throws what the counting throws.
 */
export async function checkLogin(attempt: LoginAttempt): Promise<LoginResult> {
  const { row, given, lane } = attempt;
  await attempt.countAttempt();
  const hash = await matchPassword(given.password, hashesOf(row), lane);
  if (hash === null || row.id === null) return { kind: 'password_wrong' };
  if (hash !== row.password_hash) return { kind: 'sign_up' };
  const accountId = row.id;
  if (row.has_totp && given.totp_code === undefined) return { kind: 'code_missing', accountId };
  const step = row.has_totp ? await stepOfCode(attempt, accountId, given.totp_code ?? '') : null;
  if (step === 'code_wrong') return { kind: step, accountId };
  const newHash = isOutdated(hash) ? await hashPassword(given.password, lane) : null;
  return { kind: 'passed', accountId, hash, newHash, step };
}

const hashesOf = ({ password_hash, sign_up_hashes }: LoginRow): string[] => [
  ...(password_hash ? [password_hash] : []),
  ...sign_up_hashes,
];

async function stepOfCode(
  { row: { totp_seed, now_s }, countCodeAttempt, openSeed }: LoginAttempt,
  accountId: string,
  code: string,
): Promise<number | 'code_wrong'> {
  if (!totp_seed) throw new Error('An account with TOTP enabled has a seed');
  const onWrongCode = await countCodeAttempt(accountId);
  const step = stepOf(openSeed(totp_seed, accountId), code, now_s);
  if (step === null) await onWrongCode();
  return step ?? 'code_wrong';
}

/** The scope of attempts at authenticator codes: a network of an earlier log-in, or all others together. */
export const scopeOf = (isKnown: boolean, network: string): string => (isKnown ? network : 'unknown');

/**
 * The budgets of attempts at an account's authenticator code within a scope, so that attempts from unknown networks do not spend those of a known
 * one: the budget of minutes, and that of days, which starts again after each release.
 */
export const codeBudgets = (accountId: string, scope: string, releases = 0): [Budget, Budget] => [
  budgetOf('totp', accountId, scope),
  budgetOf('totp_day', accountId, String(releases), scope),
];

/**
 * Counts an attempt against the budget of days, before the code is compared. Returns what to do if the code is wrong: after
 * the last attempt of the day it is `mail`. Null once the attempts of the day are spent.
 */
export async function spendDay(
  throttle: Pick<Throttle, 'spend'>,
  day: Budget,
  mail: () => Promise<void>,
): Promise<(() => Promise<void>) | null> {
  const left = (await throttle.spend([day])).map(({ remaining }) => remaining);
  if (left.some((each) => each < 0)) return null;
  return left.includes(0) ? mail : async () => {};
}
