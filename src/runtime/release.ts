import type { Config } from '../config.ts';
import { recordAgreementKey, requireAgreementKeys } from '../db/agreement-keys.ts';
import { migrate } from '../db/migrate.ts';
import { requireKeys } from '../db/seal-check.ts';
import { headSigner } from '../kernel/head-keys.ts';
import { sealer } from '../kernel/seal.ts';

/**
 * Brings the database of a deployment up to date (see `migrate`). Throws before it changes anything if the deployment's keys do not fit its database:
 * sealed values could not be opened, or signed receipts not verified.
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
