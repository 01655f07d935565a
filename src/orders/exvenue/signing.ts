import type { Action, Exvenue } from '../../adapters/exvenue/types.ts';
import type { Db } from '../../db/pool.ts';
import { findKey, findLiveKey, hasDoubtsUnderOtherKeys, nextNonce, openKey } from '../../enrollments/queries.ts';
import type { Problem } from '../../intents/intent.ts';
import type { Sealer } from '../../kernel/seal.ts';

export type Signing = { db: Db; sealer: Sealer; exvenue: Exvenue; config: { EXVENUE_EXPIRES_MS: number } };

/** Signed bytes, in the order they go out. The venue refuses them after `expires_at_ms` (epoch). */
export type Signed = {
  key_id: string;
  account: string;
  expires_at_ms: number;
  posts: { body: string; nonce: number; items: number }[];
};

/**
 * Signs actions with the wallet's key of now, each with a nonce of its own, to be committed before they are sent. While
 * something signed with an earlier key is in doubt it must wait: that is settled first.
 */
export async function signWith(
  { db, sealer, exvenue, config }: Signing,
  owner: string,
  account: string,
  actions: Action[],
): Promise<Signed | { problem: Problem } | { notYet: Problem }> {
  const key = await findLiveKey(db, owner, account);
  const signer = key && openKey({ exvenue, sealer }, key);
  if (!key || !signer) return { problem: { code: 'V1_NOT_ENROLLED' } };
  if (await hasDoubtsUnderOtherKeys(db, account, key.id)) return { notYet: { code: 'V1_KEY_ROTATING' } };
  const first = await nextNonce(db, signer.address, actions.length);
  const expiresAtMs = Date.now() + config.EXVENUE_EXPIRES_MS;
  const posts = await Promise.all(
    actions.map(async (action, n) => ({
      nonce: first + n,
      items: 'orders' in action ? action.orders.length : 1,
      body: await signer.sign(action, { nonce: first + n, expiresAfterMs: expiresAtMs }),
    })),
  );
  return { key_id: key.id, account, expires_at_ms: expiresAtMs, posts };
}

/**
 * Burns the nonces of signed bytes, so that they can never land any more. `burnt`: they cannot. `used`: something with one of
 * them has landed. `unknown`: the exchange did not say. A wiped key burns nothing; then their expiry alone is the proof.
 */
export async function burn(
  { db, sealer, exvenue }: Signing,
  { key_id, account, posts }: Signed,
): Promise<'burnt' | 'used' | 'unknown'> {
  const key = await findKey(db, key_id);
  const signer = key && openKey({ exvenue, sealer }, key);
  if (!signer) return 'burnt';
  let used = false;
  for (const { nonce } of posts) {
    const body = await signer.sign({ kind: 'noop' }, { nonce });
    const answer = await exvenue.post(body, { firstSend: true, account });
    if (answer.kind === 'unreachable' || answer.kind === 'in_doubt') return 'unknown';
    if (answer.kind === 'rejected' && answer.slug === 'rate_limited') return 'unknown';
    if (answer.kind === 'rejected' && answer.slug === 'duplicate_nonce') used = true;
  }
  return used ? 'used' : 'burnt';
}
