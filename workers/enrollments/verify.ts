import { standingOf } from '../../src/enrollments/intents.ts';
import { noteVerified, revokeEnrollment, wipeRetiredKeys } from '../../src/enrollments/outcomes.ts';
import { listUnverifiedKeys } from '../../src/enrollments/queries.ts';
import type { Task } from '../../src/intents/task.ts';

const AT_ONCE = 20; // each look costs the venue's request budget

/**
 * Checks keys that were enrolled while the exchange could not be asked: confirmed ones are noted, others are revoked.
 * Wipes keys that were rotated out, once nothing open was signed with them.
 */
const verify: Task<unknown> = async (_payload, { db, log, exvenue }) => {
  await wipeRetiredKeys(db);
  for (const { id, owner, ex_wallet, signer } of await listUnverifiedKeys(db, AT_ONCE)) {
    const standing = await standingOf(exvenue, ex_wallet, signer);
    if (standing === 'confirmed') await noteVerified(db, id);
    if (standing === 'refused') {
      await revokeEnrollment(db, owner, ex_wallet);
      log.warn({ owner, ex_wallet, signer }, 'the exchange does not know this key; its enrollment is revoked');
    }
  }
};

export default verify;
