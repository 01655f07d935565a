import type { World } from './world.ts';

/** Venue facts: nonces; how many are kept for each signer, and the days they must lie within. */
const KEPT = 100;
const DAY_MS = 86_400_000;
const PAST_MS = 2 * DAY_MS;
const AHEAD_MS = DAY_MS;

/**
 * Marks a nonce of a signer as used; a text is a refusal, and nothing is marked. It must be unused, above the smallest of
 * the hundred highest, and not more than two days old or one day ahead.
 */
export const useNonce = (world: World, signer: string, nonce: number): string | null => {
  const kept = world.nonces.get(signer) ?? [];
  if (kept.includes(nonce)) return `Invalid nonce: duplicate nonce ${nonce}`;
  if (nonce <= Date.now() - PAST_MS) return `Invalid nonce: ${nonce} is too old`;
  if (nonce >= Date.now() + AHEAD_MS) return `Invalid nonce: ${nonce} is too far ahead`;
  if (kept.length === KEPT && nonce < Math.min(...kept)) return `Invalid nonce: ${nonce} is below the smallest kept`;
  world.nonces.set(signer, [...kept, nonce].sort((a, b) => b - a).slice(0, KEPT));
  return null;
};
