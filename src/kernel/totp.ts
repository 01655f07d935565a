import { generateSecret, generateURI, verifySync } from 'otplib';

const STEP_S = 30; // RFC 6238, section 5.2
const DRIFT_S = 30; // the user's clock may be one step off in either direction

/** A new seed of 160 random bits (RFC 4226, section 4), in base32. */
export const newSeed = (): string => generateSecret({ length: 20 });

/** The `otpauth:` URI that an authenticator app reads from a QR code; the app shows issuer and account. */
export const otpauthUri = (seed: string, { issuer, account }: { issuer: string; account: string }): string =>
  generateURI({ issuer, label: account, secret: seed });

/**
 * The time step of a code, checked at the Unix time `nowS` (seconds) ± one step; null for a wrong code. The caller
 * must check with a compare-and-set that the step was not used before.
 */
export function stepOf(seed: string, code: string, nowS: number): number | null {
  const result = verifySync({ secret: seed, token: code, epoch: nowS, epochTolerance: DRIFT_S });
  return result.valid ? Math.floor(nowS / STEP_S) + result.delta : null;
}
