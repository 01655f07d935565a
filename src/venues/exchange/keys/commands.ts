import { sql } from 'slonik';
import type { Db } from '../../../db/pool.ts';
import type { OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../../kernel/seal.ts';
import type { Exvenue, Signer } from '../adapter/types.ts';
import { keyRow, type StoredKey } from './queries.ts';

/** The key that currently signs for a wallet, or null without an enrollment. Records its use at most once a minute. */
export const findLiveKey = (db: Db, owner: OwnerId, exWallet: WalletAddress): Promise<StoredKey | null> =>
  db.maybeOne(sql.prepared('live_key', keyRow)`
    with used as (
      update enrollments
      set last_used_at = now()
      where owner = ${owner} and ex_wallet = ${exWallet}
        and (last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select k.id, k.signer, k.sealed
    from signing_keys k
    where k.owner = ${owner} and k.ex_wallet = ${exWallet} and k.retired_at is null and not k.waits`);

/** The seal context of a signing key. */
export const keySealContext = (keyId: string): SealContext => ({ table: 'signing_keys', row: keyId, column: 'sealed' });

/** A stored key, ready to sign; null if it has been wiped. The plain key never leaves this function. */
export function openKey({ exvenue, sealer }: { exvenue: Exvenue; sealer: Sealer }, key: StoredKey): Signer | null {
  if (!key.sealed) return null;
  const signer = exvenue.signerOf(sealer.open(key.sealed, keySealContext(key.id)).toString('hex'));
  if (signer?.address !== key.signer) throw new Error('A sealed key does not belong to its signer');
  return signer;
}
