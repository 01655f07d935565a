import { z } from 'zod';
import type { Action, Exvenue } from '../../adapters/exchange/types.ts';
import type { Db } from '../../db/pool.ts';
import { findLiveKey, nextNonce, openKey } from '../../enrollments/commands.ts';
import { findKey, hasInDoubtUnderOtherKeys } from '../../enrollments/queries.ts';
import type { OwnerId, WalletAddress } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { NotReady } from './not-ready.ts';

/** The dependencies of `sign` and `burn`. */
export type SigningDeps = { db: Db; sealer: Sealer; exvenue: Exvenue; config: { EXVENUE_EXPIRES_MS: number } };

/**
 * Payload members of every exchange verb: the signed bodies, in order. The venue rejects them after `expires_at_ms`
 * (epoch ms).
 */
export const signedMembers = {
  key_id: z.string(),
  account: z.string(),
  expires_at_ms: z.number(),
  posts: z.array(z.object({ body: z.string(), nonce: z.number(), items: z.number() })),
};

const signed = z.object(signedMembers);
/** Signed bodies, as stored in a payload. */
export type Signed = z.infer<typeof signed>;

/**
 * Signs actions with the wallet's live key, each with its own nonce. The caller must commit the result before sending
 * it. Fails with V1_NOT_ENROLLED without a key. Waits while an action signed with an earlier key is in doubt.
 */
export async function sign(
  { db, sealer, exvenue, config }: SigningDeps,
  { owner, wallet }: { owner: OwnerId; wallet: WalletAddress },
  actions: Action[],
): Promise<Signed | NotReady> {
  const key = await findLiveKey(db, owner, wallet);
  const signer = key && openKey({ exvenue, sealer }, key);
  if (!key || !signer) return { fail: { code: 'V1_NOT_ENROLLED' } };
  if (await hasInDoubtUnderOtherKeys(db, wallet, key.id)) return { wait: { code: 'V1_KEY_ROTATING' } };
  const first = await nextNonce(db, signer.address, actions.length);
  const expiresAtMs = Date.now() + config.EXVENUE_EXPIRES_MS;
  const posts = await Promise.all(
    actions.map(async (action, n) => ({
      nonce: first + n,
      items: 'orders' in action ? action.orders.length : 1,
      body: await signer.sign(action, { nonce: first + n, expiresAfterMs: expiresAtMs }),
    })),
  );
  return { key_id: key.id, account: wallet, expires_at_ms: expiresAtMs, posts };
}

/**
 * Burns the nonces of signed bodies, so that the bodies can no longer take effect. `burnt`: they cannot. `used`: one of
 * the nonces was already used. `unknown`: the exchange did not respond. With a wiped key nothing can be burnt; then
 * their expiry alone is the proof.
 */
export async function burn(
  { db, sealer, exvenue }: SigningDeps,
  { key_id, account, posts }: Signed,
): Promise<'burnt' | 'used' | 'unknown'> {
  const key = await findKey(db, key_id);
  const signer = key && openKey({ exvenue, sealer }, key);
  if (!signer) return 'burnt';
  let used = false;
  for (const { nonce } of posts) {
    const body = await signer.sign({ kind: 'noop' }, { nonce });
    const result = await exvenue.post(body, { firstSend: true, account });
    if (result.kind === 'unreachable' || result.kind === 'unknown') return 'unknown';
    if (result.kind === 'rejected' && result.slug === 'rate_limited') return 'unknown';
    if (result.kind === 'rejected' && result.slug === 'duplicate_nonce') used = true;
  }
  return used ? 'used' : 'burnt';
}
