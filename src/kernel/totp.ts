import { generateSecret, generateURI, verifySync } from 'otplib';

const ISSUER = 'Trading Partner Service';
const STEP_S = 30; // RFC 6238, section 5.2
const DRIFT_S = 30; // a clock may be one step off either way

/** A new seed of 160 random bits (RFC 4226, section 4), in base32. */
export const newSeed = (): string => generateSecret({ length: 20 });

/** What an authenticator app reads from a picture. */
export const otpauthUri = (seed: string, account: string): string =>
  generateURI({ issuer: ISSUER, label: account, secret: seed });

/**
 * The time step a code belongs to, at `nowS` seconds of Unix time and one step around it; null for a wrong code.
 * Whether that step was used before is for the caller's compare-and-set to say.
 */
export function stepOf(seed: string, code: string, nowS: number): number | null {
  const result = verifySync({ secret: seed, token: code, epoch: nowS, epochTolerance: DRIFT_S });
  return result.valid ? Math.floor(nowS / STEP_S) + result.delta : null;
}
