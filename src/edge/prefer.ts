const DEFAULT_WAIT_S = 20;
const LONGEST_WAIT_S = 25; // below the 30 s timeout of the platform's router
/** How long to wait for an outcome, in milliseconds, and the value for `Preference-Applied`. */
export type Preference = { waitMs: number; applied: string };

/** What applies to a request without the header. */
export const DEFAULT_PREFERENCE: Preference = { waitMs: DEFAULT_WAIT_S * 1000, applied: `wait=${DEFAULT_WAIT_S}` };

/**
 * Reads `Prefer` (RFC 7240): `wait=<seconds>`, at most 25, or `respond-async` for 0. Other preferences are ignored (RFC
 * 7240).
 */
export function readPrefer(header: string | undefined): Preference {
  const preferences = (header ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  if (preferences.includes('respond-async')) return { waitMs: 0, applied: 'respond-async' };
  const requested = preferences.map((part) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(part)?.[1]).find(Boolean);
  const seconds = requested === undefined ? DEFAULT_WAIT_S : Math.min(Number(requested), LONGEST_WAIT_S);
  return { waitMs: seconds * 1000, applied: `wait=${seconds}` };
}
