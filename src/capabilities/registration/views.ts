import type { components } from '../../contract/types.ts';
import { errors, isErrorCode } from '../../kernel/error-codes.ts';
import type { WalletAddress } from '../../kernel/ids.ts';
import type { Registration } from './queries.ts';
import { isSuccess, isTerminal, notes } from './rules.ts';

type StatusReport = components['schemas']['RegistrationStatus'];

/** A registration in the form shown to its owner. `registration_id` is the id of its intent. */
export const shownRegistration = (registration: Registration): StatusReport => ({
  status: registration.status,
  ex_address: registration.ex_address,
  registration_id: registration.id,
  account_size: registration.account_size,
  tx_hash: registration.tx_hash,
  message: registration.message ?? titleOf(registration.problem) ?? openNote(registration),
  estimated_time: registration.estimated_time,
  is_terminal: isTerminal(registration.status),
  is_success: isSuccess(registration.status),
});

/**
 * The response for an address without a registration of the caller. It does not reveal whether another owner has one.
 */
export const unknownRegistration = (exAddress: WalletAddress): StatusReport => ({
  status: 'not_found',
  ex_address: exAddress,
  registration_id: null,
  account_size: null,
  tx_hash: null,
  message: null,
  estimated_time: null,
  is_terminal: false,
  is_success: false,
});

const openNote = ({ status, tx_hash }: Registration) =>
  status === 'processing' && tx_hash === null ? notes.no_response : null;

const titleOf = (code: string | null) => (code !== null && isErrorCode(code) ? errors[code][1] : null);
