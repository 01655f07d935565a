import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { isNotReady, type NotReady } from '../../../intents/define.ts';
import { idSchema, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Action, Signer } from '../adapter/action-types.ts';
import type { Exvenue } from '../adapter/types.ts';
import { findLiveKey, forgetBurning, nextNonce, noteBurning, openKey } from './commands.ts';
import { findKey, hasInDoubtUnderOtherKeys, type LiveKey } from './queries.ts';

/** The dependencies of `sign` and `burn`. */
export type SigningDeps = {
  db: Db;
  sealer: Sealer;
  exvenue: Exvenue;
  config: { EXVENUE_EXPIRES_MS: number; EXVENUE_CLOCK_MARGIN_MS: number };
};

/** For how long after it was sent a signed body can take effect. */
export const inFlightMsOf = ({ config }: Pick<SigningDeps, 'config'>): number =>
  config.EXVENUE_EXPIRES_MS + config.EXVENUE_CLOCK_MARGIN_MS;

const SOON_MS = 10_000; // look-ups mostly end a doubt so long after the bodies have expired

/** How long after the sending a doubt is likely to end soon. A doubt that lasts longer may be permanent. */
export const doubtMsOf = (deps: Pick<SigningDeps, 'config'>): number => inFlightMsOf(deps) + SOON_MS;

/**
 * Payload members of every exchange verb: the signed bodies, in order. The venue rejects them after `expires_at_ms`
 * (epoch ms).
 */
export const signedMembers = {
  key_id: z.string(),
  account: idSchema.wallet,
  expires_at_ms: z.number(),
  posts: z.array(z.object({ body: z.string(), nonce: z.number(), items: z.number() })),
};

const signed = z.object(signedMembers);
/** Signed bodies, as stored in a payload. */
export type Signed = z.infer<typeof signed>;

/** A wallet that an owner has enrolled. */
type Enrolled = { owner: OwnerId; wallet: WalletAddress };

const NOT_ENROLLED = { fail: { code: 'V1_NOT_ENROLLED' } } as const;

/** The live key of an owner's wallet. Fails with V1_NOT_ENROLLED without one, with V1_KEY_REJECTED if the exchange has rejected it. */
export async function usableKey(
  { db }: Pick<SigningDeps, 'db'>,
  { owner, wallet }: Enrolled,
): Promise<LiveKey | NotReady> {
  const key = await findLiveKey(db, owner, wallet);
  if (key?.rejected) return { fail: { code: 'V1_KEY_REJECTED' } };
  return key ?? NOT_ENROLLED;
}

/**
 * Signs actions with the wallet's live key, each with its own nonce. The caller must commit the result before sending
 * it. Fails as `usableKey` does. Waits while
 * an action that the owner signed with an earlier key is in doubt, unless that doubt lasts (it can take effect no more),
 * and until it is known that the wallet is not the address of an agent.
 */
export async function sign(
  deps: SigningDeps,
  { owner, wallet }: Enrolled,
  actions: Action[],
): Promise<Signed | NotReady> {
  const { db } = deps;
  const key = await usableKey(deps, { owner, wallet });
  if (isNotReady(key)) return key;
  const signer = openKey(deps, key);
  if (!signer) return NOT_ENROLLED;
  if (!key.verified && key.signer === wallet) return { wait: { code: 'VENUE_UNREACHABLE' } };
  const earlier = { owner, exWallet: wallet, keyId: key.id, recentMs: doubtMsOf(deps) };
  if (await hasInDoubtUnderOtherKeys(db, earlier)) return { wait: { code: 'V1_KEY_ROTATING' } };
  const first = await nextNonce(db, signer.address, actions.length);
  const expiresAtMs = epochMs() + deps.config.EXVENUE_EXPIRES_MS;
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
 * What a no-op with the nonce of a signed body showed about the body. `burnt`: it never took effect and no longer can.
 * `used`: the venue has read it. `dead`: it can no longer take effect, but may have. `unknown`: nothing.
 */
export type NonceEvidence = 'burnt' | 'used' | 'dead' | 'unknown';

/** The weakest evidence of several counts for all. */
const WEAKEST_FIRST = ['unknown', 'used', 'dead', 'burnt'] as const;

/**
 * Burns the nonces of signed bodies that have expired, so that the bodies can no longer take effect. With a wiped key
 * nothing can be burnt.
 */
export async function burn(deps: SigningDeps, { key_id, account, posts }: Signed): Promise<NonceEvidence> {
  const key = await findKey(deps.db, key_id);
  const signer = key && openKey(deps, key);
  if (!signer) return 'dead';
  const seen: NonceEvidence[] = [];
  for (const { nonce } of posts) seen.push(await burnOne(deps, signer, { account, nonce }));
  return WEAKEST_FIRST.find((evidence) => seen.includes(evidence)) ?? 'unknown';
}

/** Rejections after which the venue accepts nothing that was signed with this key and nonce. */
const ENDED = new Set(['invalid_nonce', 'key_not_authorized', 'not_deposited']);

/**
 * A nonce that the venue calls used was used by the body, unless an earlier no-op without a response may have used it.
 * So every no-op is recorded before it is sent, and forgotten when it has used nothing.
 */
async function burnOne(
  { db, exvenue }: SigningDeps,
  signer: Signer,
  { account, nonce }: { account: WalletAddress; nonce: number },
): Promise<NonceEvidence> {
  const body = await signer.sign({ kind: 'noop' }, { nonce });
  const isFirst = await noteBurning(db, signer.address, nonce);
  const result = await exvenue.post(body, { firstSend: true, account });
  if (result.kind === 'accepted') return 'burnt';
  if (result.kind === 'unknown') return 'unknown';
  if (isFirst) await forgetBurning(db, signer.address, nonce);
  if (result.kind === 'unreachable') return 'unknown';
  if (result.slug === 'duplicate_nonce') return isFirst ? 'used' : 'dead';
  return ENDED.has(result.slug) ? 'dead' : 'unknown';
}
