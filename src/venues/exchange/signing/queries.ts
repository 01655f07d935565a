import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { idSchema, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';

/** A stored key. */
export const keyRow = z.object({ id: z.string(), signer: idSchema.wallet, sealed: z.instanceof(Buffer).nullable() });

/** A stored key. `sealed` is null after the key has been wiped. */
export type StoredKey = z.infer<typeof keyRow>;

/** The key that signs for a wallet. */
export const liveKeyRow = keyRow.extend({ verified: z.boolean(), rejected: z.boolean() });

/** The key that signs for a wallet. `verified`: the exchange confirmed it. `rejected`: it rejected the key in an action. */
export type LiveKey = z.infer<typeof liveKeyRow>;

/** A key by its id, live or retired; null for an unknown id. */
export const findKey = (db: Db, keyId: string): Promise<StoredKey | null> =>
  db.maybeOne(sql.prepared('find_key', keyRow)`
    select k.id, k.signer, k.sealed
    from signing_keys k
    where k.id = ${keyId}`);

const inDoubtRow = z.object({ in_doubt: z.boolean() });

/** A key that is about to sign for an owner's wallet. `recentMs`: for how long a doubt is likely to end soon. */
type SigningAnew = { owner: OwnerId; exWallet: WalletAddress; keyId: string; recentMs: number };

/**
 * Whether an owner has an intent in doubt that was signed for this wallet with an earlier key within the last `recentMs`. An older one can no longer
 * take effect and may stay in doubt permanently, so it does not count; nor does one of another owner.
 */
export const hasInDoubtUnderOtherKeys = (db: Db, { owner, exWallet, keyId, recentMs }: SigningAnew): Promise<boolean> =>
  db.oneFirst(sql.prepared('in_doubt_under_other_keys', inDoubtRow)`
    select exists (
      select
      from intents i
      where i.phase = 'in_doubt'
        and i.lane = ${`exvenue:${exWallet}`}
        and i.owner = ${owner}
        and i.sent_payload ->> 'key_id' <> ${keyId}
        and i.sending_at > now() - make_interval(secs => ${recentMs / 1000})
    ) as in_doubt`);

const unverifiedRow = z.object({
  owner: idSchema.owner,
  ex_wallet: idSchema.wallet,
  signer: idSchema.wallet,
  id: z.string(),
});

/** A live key that the exchange has not confirmed yet. */
export type UnverifiedKey = z.infer<typeof unverifiedRow>;

/**
 * Some live keys that the exchange has not confirmed yet. Keys that it rejected in an action only after a new enrollment. One of each owner before a
 * second of any, in random order, so that keys that cannot be checked do not block the others.
 */
export const listUnverifiedKeys = (db: Db, limit: number): Promise<readonly UnverifiedKey[]> =>
  db.any(sql.type(unverifiedRow)`
    select k.owner, k.ex_wallet, k.signer, k.id
    from signing_keys k
    left join enrollments e on e.owner = k.owner and e.ex_wallet = k.ex_wallet
    where k.verified_at is null and k.retired_at is null and (k.rejected_at is null or k.rejected_at < e.updated_at)
    order by row_number() over (partition by k.owner order by random()), random()
    limit ${limit}`);
