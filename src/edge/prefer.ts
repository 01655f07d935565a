const DEFAULT_WAIT_S = 20;
const LONGEST_WAIT_S = 25; // below the 30 s after which a platform's router gives up
export type Preference = { waitMs: number; applied: string };

/** Reads `Prefer` (RFC 7240): `wait=<seconds>` up to 25, or `respond-async` for 0. Others are ignored, as the RFC says. */
export function readPrefer(header: string | undefined): Preference {
  const preferences = (header ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  if (preferences.includes('respond-async')) return { waitMs: 0, applied: 'respond-async' };
  const asked = preferences.map((part) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(part)?.[1]).find(Boolean);
  const seconds = asked === undefined ? DEFAULT_WAIT_S : Math.min(Number(asked), LONGEST_WAIT_S);
  return { waitMs: seconds * 1000, applied: `wait=${seconds}` };
}
