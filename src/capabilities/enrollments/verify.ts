import type { Db } from '../../db/pool.ts';
import type { Exvenue } from '../../venues/exchange/adapter/types.ts';
import { listUnverifiedKeys } from '../../venues/exchange/signing/queries.ts';
import { confirmKey, rejectKey, wipeRetiredKeys } from './keys/store.ts';
import { checkSigner } from './signer.ts';

/** What the check of unverified keys needs. */
export type VerifyDeps = { db: Db; exvenue: Exvenue; log: { warn(fields: object, message: string): void } };

const AT_ONCE = 20; // each read costs the venue's request budget

/**
 * Checks keys that were enrolled while the exchange could not be read. A confirmed one replaces the key it was to replace;
 * a rejected one is removed, and its enrollment is revoked unless an earlier key signs for it.
 * Wipes retired keys that signed no open intent.
 */
export async function verifyKeys({ db, exvenue, log }: VerifyDeps): Promise<void> {
  await wipeRetiredKeys(db);
  for (const { id, owner, ex_wallet, signer } of await listUnverifiedKeys(db, AT_ONCE)) {
    const check = await checkSigner(exvenue, ex_wallet, signer);
    if (check.kind === 'confirmed') await confirmKey(db, id, check.validUntilMs);
    if (check.kind === 'rejected' || check.kind === 'agent_of') {
      await rejectKey(db, id);
      log.warn({ owner, ex_wallet, signer }, 'the exchange does not list this key for the wallet; it is removed');
    }
  }
}
