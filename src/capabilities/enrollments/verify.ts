import type { Db } from '../../db/pool.ts';
import { presentWork, workingOn } from '../../kernel/work.ts';
import type { Exvenue } from '../../venues/exchange/adapter/types.ts';
import { listUnverifiedKeys, type UnverifiedKey } from '../../venues/exchange/signing/queries.ts';
import { confirmKey, planKeyCheck, rejectKey, wipeRetiredKeys } from './keys/store.ts';
import { checkSigner } from './signer.ts';

/** What the check of unverified keys needs. */
export type VerifyDeps = { db: Db; exvenue: Exvenue; log: { warn(fields: object, message: string): void } };

const AT_ONCE = 20; // each read costs the venue's request budget
/** Orders of the wallet wait for this check, so its reads count for the wallet's owner and come before those of callers. */
const LIMITS = { priority: 'entry', timeoutMs: 10_000 } as const;
const AGAIN_S = 5;

/**
 * Checks keys that were enrolled while the exchange could not be read. Plans the next check soon while it still cannot be read, and at once while
 * keys are left. Keys are checked concurrently, so an owner who has used up its share of the budget delays only itself. A confirmed key replaces the
 * earlier one. A rejected key is removed, and its enrollment is revoked unless an earlier key signs for it or it was marked as rejected before. Wipes
 * retired keys that signed no open intent.
 */
export async function verifyKeys(deps: VerifyDeps): Promise<void> {
  await wipeRetiredKeys(deps.db);
  const keys = await listUnverifiedKeys(deps.db, AT_ONCE);
  const checked = await Promise.allSettled(
    keys.map((key) => workingOn({ ...presentWork(), tenant: key.owner }, () => verifyKey(deps, key))),
  );
  const isUnknown = checked.some((one) => one.status === 'rejected' || one.value === 'unknown');
  if (isUnknown || keys.length === AT_ONCE) await planKeyCheck(deps.db, isUnknown ? AGAIN_S : 0);
  for (const one of checked) if (one.status === 'rejected') throw one.reason; // after all others were checked
}

async function verifyKey({ db, exvenue, log }: VerifyDeps, { id, owner, ex_wallet, signer }: UnverifiedKey) {
  const check = await checkSigner(exvenue, ex_wallet, signer, LIMITS);
  if (check.kind === 'confirmed') await confirmKey(db, id, check.validUntilMs);
  if (check.kind === 'rejected' || check.kind === 'agent_of') {
    await rejectKey(db, id);
    log.warn({ owner, ex_wallet, signer }, 'the exchange does not list this key for the wallet; it signs nothing');
  }
  return check.kind;
}
