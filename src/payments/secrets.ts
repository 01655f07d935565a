import type { Place, Sealer } from '../kernel/seal.ts';
import type { Payment } from './queries.ts';

const placeOf = (paymentId: string): Place => ({ table: 'payments', row: paymentId, column: 'sealed_client_secret' });

/** What a buyer's browser completes a payment with, as it is stored. */
export const sealSecret = (sealer: Sealer, paymentId: string, secret: string): Buffer =>
  sealer.seal(secret, placeOf(paymentId));

/** What the buyer's browser completes a payment with; null where nothing can be paid with it. */
export const openSecret = (sealer: Sealer, { id, sealed_client_secret }: Payment): string | null =>
  sealed_client_secret && sealer.open(sealed_client_secret, placeOf(id)).toString();
