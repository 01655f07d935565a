import type { Throttle } from '../db/throttles.ts';
import { type HashLane, hashPassword, isOutdated, matchPassword } from '../kernel/passwords.ts';
import { type Budget, budgetOf } from '../kernel/throttles.ts';
import { stepOf } from '../kernel/totp.ts';
import type { LoginRow } from './queries.ts';

/**
 * A log-in that may open a session. `hash`: the hash that the password matched. `newHash`: its replacement if its
 * parameters are outdated. `step`: the time step of the authenticator code; null without an authenticator.
 */
export type CheckedLogin = { accountId: string; hash: string; newHash: string | null; step: number | null };

/** A row whose password was given. */
export type RightRow<Row extends LoginRow> = Row & { id: string; password_hash: string };

/**
 * Returns the row if the password is right, `sign_up` if only a sign-up of that address gave it, else null. An unknown
 * address takes as long as a wrong password.
 */
export async function checkPassword<Row extends LoginRow>(
  row: Row,
  password: string,
  lane: HashLane,
): Promise<RightRow<Row> | 'sign_up' | null> {
  const { id, password_hash, sign_up_hashes } = row;
  const matched = await matchPassword(password, [...(password_hash ? [password_hash] : []), ...sign_up_hashes], lane);
  if (matched === null || id === null) return null;
  return password_hash !== null && matched === password_hash ? { ...row, id, password_hash } : 'sign_up';
}

/**
 * Checks the authenticator's code if one is enrolled. `openSeed` counts the attempt and opens the seed before anything
 * is compared. `code_missing` and `code_wrong` open no session. The database enforces that a code is accepted once.
 */
export async function checkSecondFactor(
  row: LoginRow & { id: string; password_hash: string },
  given: { password: string; code: string | undefined; lane: HashLane },
  openSeed: (sealedSeed: Buffer) => Promise<string>,
): Promise<CheckedLogin | 'code_missing' | 'code_wrong'> {
  if (row.has_totp && given.code === undefined) return 'code_missing';
  const step = row.has_totp ? await stepOfCode(row, given.code ?? '', openSeed) : null;
  if (step === 'code_wrong') return step;
  const newHash = isOutdated(row.password_hash) ? await hashPassword(given.password, given.lane) : null;
  return { accountId: row.id, hash: row.password_hash, newHash, step };
}

async function stepOfCode(
  { totp_seed, now_s }: LoginRow,
  code: string,
  openSeed: (sealedSeed: Buffer) => Promise<string>,
): Promise<number | 'code_wrong'> {
  if (!totp_seed) throw new Error('An account with TOTP enabled has a seed');
  return stepOf(await openSeed(totp_seed), code, now_s) ?? 'code_wrong';
}

/** The scope of tries at authenticator codes: a network of an earlier log-in, or all others together. */
export const scopeOf = (isKnown: boolean, network: string): string => (isKnown ? network : 'unknown');

/**
 * The budgets of tries at an account's authenticator code within a scope, so that tries from unknown networks do not
 * spend those of a known one: the budget of minutes, and that of days, which begins anew with each release.
 */
export const codeBudgets = (accountId: string, scope: string, releases = 0): [Budget, Budget] => [
  budgetOf('totp', accountId, scope),
  budgetOf('totp_day', accountId, String(releases), scope),
];

/**
 * Counts a try against the budget of days, before the code is compared. Returns what to do if the code is wrong: after
 * the last try of the day it is `mail`. Null once the tries of the day are spent.
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
