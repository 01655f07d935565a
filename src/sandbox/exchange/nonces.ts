import type { World } from './world.ts';

/** See venues/exchange.md#nonces. How many are stored for each signer, and the allowed time window. */
const NONCES_PER_SIGNER = 100;
const DAY_MS = 86_400_000;
const PAST_MS = 2 * DAY_MS;
const AHEAD_MS = DAY_MS;

/**
 * Marks a nonce of a signer as used. Returns a text for a rejection, and then marks nothing. A nonce must be unused,
 * above the smallest of the 100 highest, and at most 2 days old or 1 day ahead.
 */
export const useNonce = (world: World, signer: string, nonce: number): string | null => {
  const used = world.nonces.get(signer) ?? [];
  if (used.includes(nonce)) return `Invalid nonce: duplicate nonce ${nonce}`;
  if (nonce <= Date.now() - PAST_MS) return `Invalid nonce: ${nonce} is too old`;
  if (nonce >= Date.now() + AHEAD_MS) return `Invalid nonce: ${nonce} is too far ahead`;
  if (used.length === NONCES_PER_SIGNER && nonce < Math.min(...used))
    return `Invalid nonce: ${nonce} is below the smallest stored`;
  world.nonces.set(signer, [...used, nonce].sort((a, b) => b - a).slice(0, NONCES_PER_SIGNER));
  return null;
};
