import { argon2id, hash, needsRehash, verify } from 'argon2';
import { commonPasswords } from './common-passwords.ts';
import { gate } from './gate.ts';

/** OWASP's password storage cheat sheet, argon2id: 19 MiB, two passes, one lane. */
const cost = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1, hashLength: 32 } as const;
const HASHES_AT_ONCE = 3; // the thread pool has four: one stays free for everything else
const HASHES_WAITING = 2_000; // about twenty seconds of work on a small machine

const hashing = gate(HASHES_AT_ONCE, HASHES_WAITING);

/** A hash that no password has, of the same cost: comparing with it takes what comparing with a user's takes. */
const nobodysHash = hashPassword(`nobody ${crypto.randomUUID()}`);

/** Hashes a password with argon2id, off the event loop, a bounded number at a time. */
export function hashPassword(password: string): Promise<string> {
  return hashing(() => hash(normalised(password), cost));
}

/** Compares a password with a hash. For no hash it takes the same time and is false. */
export async function isPassword(password: string, hashed: string | null): Promise<boolean> {
  const against = hashed ?? (await nobodysHash);
  const matches = await hashing(() => verify(against, normalised(password)));
  return matches && hashed !== null;
}

/** Whether a hash was made at a lower cost than today's, and should be made anew while the password is at hand. */
export const isOutdated = (hashed: string): boolean => needsRehash(hashed, cost);

/** Whether a password is among those tried first: a common one, or the user's own address. Its length is the contract's matter. */
export function isGuessable(password: string, email: string): boolean {
  const plain = normalised(password).toLowerCase();
  return commonPasswords.has(plain) || plain === email || plain === email.split('@')[0] || /^(.)\1*$/.test(plain);
}

/** One spelling for one password, whatever keyboard it was typed on (NIST SP 800-63B, 5.1.1.2). */
function normalised(password: string): string {
  return password.normalize('NFKC'); // hoisted: the hash that nobody has is made while this file loads
}
