import { randomBytes } from 'node:crypto';
import { newId } from '../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../kernel/seal.ts';

const SECRET_BYTES = 33; // 264 bits: 44 characters of base64 without padding, which is what Standard Webhooks libraries decode

/** The seal context of an endpoint's secret. */
const secretSealContext = (secretId: string): SealContext => ({
  table: 'webhook_secrets',
  row: secretId,
  column: 'sealed',
});

/** A new signing secret. `secret` is shown once; `sealed` is stored. */
export type NewSecret = { id: string; secret: string; sealed: Buffer };

/** Creates a signing secret and seals it. */
export function newSecret(sealer: Sealer): NewSecret {
  const id = newId('whs');
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { id, secret, sealed: sealer.seal(secret, secretSealContext(id)) };
}

/** Opens a stored secret for signing. */
export const openSecret = (sealer: Sealer, { id, sealed }: { id: string; sealed: string }): string =>
  sealer.open(Buffer.from(sealed, 'base64'), secretSealContext(id)).toString();
