import type { Registered } from '../../adapters/registrar/types.ts';
import type { Problem } from '../../intents/intent.ts';
import type { ErrorCode } from '../../kernel/error-codes.ts';
import type { Rejected } from '../../kernel/upstream-result.ts';
import { notes, type Status } from './rules.ts';

/** The recorded result of a settled payment. */
export type Paid = { status: Exclude<Status, 'not_found'>; tx_hash: string; message: string | null };

/** The registrar's acceptance in the recorded form. */
export const paidBy = ({ status, txHash, message }: Registered): Paid =>
  status === 'unrecorded'
    ? { status: 'processing', tx_hash: txHash, message: notes.unrecorded }
    : { status, tx_hash: txHash, message: message ?? (status === 'pending' ? notes.pending : null) };

const codes: Record<string, ErrorCode> = {
  wallet_unproven: 'V1_WALLET_UNPROVEN',
  cap_reached: 'V1_REGISTRATION_CAP',
  already_registered: 'V1_ALREADY_REGISTERED',
  registration_pending: 'V1_REGISTRATION_UNDER_WAY',
  refused_for_form: 'VENUE_REJECTED',
};

/** A rejection of the registrar as a problem of this service. Every reason not listed concerns the payment itself. */
export const problemOf = ({ slug }: Rejected): Problem => ({
  code: codes[slug] ?? 'V1_PAYMENT_REFUSED',
  reason: slug,
});
