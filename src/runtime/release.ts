import type { Config } from '../config.ts';
import { recordAgreementKey, requireAgreementKeys } from '../db/agreement-keys.ts';
import { migrate } from '../db/migrate.ts';
import { requireKeys } from '../db/seal-check.ts';
import { headSigner } from '../kernel/head-keys.ts';
import { sealer } from '../kernel/seal.ts';

/**
 * Brings the database of a deployment up to date, see `migrate`. Throws before it changes anything if the keys of the deployment are not those
 * of its database: nobody could read what is sealed there, or verify what was signed.
 */
export async function release(
  { directUrl, SEALING_KEYS, AGREEMENT_KEYS }: Config,
  log: (line: string) => void,
  version: { version: string; isAlone?: boolean },
): Promise<void> {
  const { publicKeys } = headSigner(AGREEMENT_KEYS);
  await requireKeys(directUrl, sealer(SEALING_KEYS));
  await requireAgreementKeys(directUrl, publicKeys);
  await migrate(directUrl, log, version);
  await recordAgreementKey(directUrl, publicKeys);
}
