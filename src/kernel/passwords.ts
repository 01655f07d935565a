import { timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { dictionary } from '@zxcvbn-ts/language-common';
import { argon2id, hash, needsRehash } from 'argon2';
import { FIRST, fairLimit } from './concurrency.ts';
import type { AppId } from './ids.ts';

/** OWASP's password storage cheat sheet, argon2id: 19 MiB, two passes, one lane. Only tests lower it. */
export const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, hashLength: 32 };
/**
 * How many hashes of apps are computed at once on a machine with so many cores: one core stays free for requests, since
 * a hash occupies a core while it lasts, and at most 2 of the 4 threads of the thread pool are taken.
 */
export const appsAtOnce = (cores: number): number => Math.min(2, Math.max(1, cores - 1));

/**
 * Apps take turns, and one thread more is reserved for operators: no app's flood of log-ins keeps another app's users or
 * the operators waiting.
 */
export const hashing = {
  apps: fairLimit(appsAtOnce(availableParallelism()), 500), // of one app about 20 s of work on a small machine
  operators: fairLimit(1, 50), // of one network
};

/** The lane of a hash: that of an app, or of operators from one network. */
export type HashLane = { pool: keyof typeof hashing; lane: string };

/** The lane of an app and its users. */
export const appLane = (appId: AppId): HashLane => ({ pool: 'apps', lane: appId });

/**
 * The lane of an operator. Null for a network where the operator has logged in before: it goes before all unknown
 * networks.
 */
export const operatorLane = (network: string | null): HashLane => ({ pool: 'operators', lane: network ?? FIRST });

const inLane = <Result>({ pool, lane }: HashLane, work: () => Promise<Result>) => hashing[pool].run(lane, work);

/** The most common passwords of published leaks, in lower case. The contract rejects those below 8 characters. */
const commonPasswords = new Set(dictionary['passwords-common']);
/** The list contains no patterns: repeated short pieces, and runs of the alphabet, of digits and of a keyboard row. */
const REPEATED = /^(.{1,5})\1+$/;
const RUNS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl'].flatMap((run) => [
  run,
  [...run].reverse().join(''),
]);

/** A hash of an unknown random password. A comparison with it takes as long as one with a user's hash. */
const dummyHash = hashPassword(`nobody ${crypto.randomUUID()}`, operatorLane(null));

/**
 * Hashes a password with argon2id in the thread pool, with a random salt by default. Throws SERVICE_UNAVAILABLE when
 * too many hashes of the lane are waiting.
 */
export function hashPassword(password: string, lane: HashLane, salt?: Buffer): Promise<string> {
  return inLane(lane, () => hash(normalised(password), { type: argon2id, ...cost, ...(salt && { salt }) }));
}

/**
 * Finds which of some hashes a password matches; null for none. One computation, with salt and cost of the first: it
 * compares with the others that share them. Without a hash it takes the same time.
 */
export async function matchPassword(
  password: string,
  hashes: readonly string[],
  lane: HashLane,
): Promise<string | null> {
  const { options } = partsOf(hashes[0] ?? (await dummyHash));
  const computed = await inLane(lane, () => hash(normalised(password), { ...options, raw: true }));
  const isMatch = (hashed: string) => {
    const { digest } = partsOf(hashed);
    return digest.length === computed.length && timingSafeEqual(digest, computed);
  };
  return hashes.find(isMatch) ?? null;
}

/** An encoded argon2id hash: `$argon2id$v=19$m=…,t=…,p=…$salt$digest`, with its costs in any order. */
const ENCODED =
  /^\$argon2id\$v=19\$(?=[^$]*\bm=(?<m>\d+))(?=[^$]*\bt=(?<t>\d+))(?=[^$]*\bp=(?<p>\d+))[^$]+\$(?<salt>[^$]+)\$(?<text>[^$]+)$/;

/** The digest of an encoded hash, and the options that make such hashes. Throws for any other text. */
function partsOf(encoded: string) {
  const parts = ENCODED.exec(encoded)?.groups;
  if (!parts) throw new Error('A password hash is not one of argon2id');
  const { m, t, p, salt, text } = parts as Record<'m' | 't' | 'p' | 'salt' | 'text', string>; // as: the groups of ENCODED
  const digest = Buffer.from(text, 'base64');
  const options = {
    type: argon2id,
    memoryCost: Number(m),
    timeCost: Number(t),
    parallelism: Number(p),
    hashLength: digest.length,
    salt: Buffer.from(salt, 'base64'),
  } as const;
  return { digest, options };
}

/**
 * Whether a hash was made with other cost parameters than today's and should be replaced while the password is
 * available.
 */
export const isOutdated = (hashed: string): boolean => needsRehash(hashed, cost);

/** Whether a password is easy to guess: common, a pattern, or the user's address. The contract checks its length. */
export function isGuessable(password: string, email: string): boolean {
  const plain = normalised(password).toLowerCase();
  return commonPasswords.has(plain) || hasPattern(plain) || plain === email || plain === email.split('@')[0];
}

const hasPattern = (plain: string): boolean => REPEATED.test(plain) || RUNS.some((run) => run.includes(plain));

/** NFKC, so that a password is the same on every keyboard (NIST SP 800-63B, 5.1.1.2). */
function normalised(password: string): string {
  return password.normalize('NFKC'); // a hoisted function: `dummyHash` calls it while this module loads
}
