import type { components } from '../contract/types.ts';
import { isRefusalCode, refusals } from '../kernel/refusals.ts';
import type { Registration } from './queries.ts';
import { isSuccess, isTerminal, notes } from './rules.ts';

type Shown = components['schemas']['RegistrationStatus'];

/** A registration as its owner sees it. `registration_id` is its intent. */
export const shownRegistration = (registration: Registration): Shown => ({
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

/** What is said of an address without a registration of the caller's: the same whether nobody or somebody else has one. */
export const unknownRegistration = (exAddress: string): Shown => ({
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
  status === 'processing' && tx_hash === null ? notes.no_answer : null;

const titleOf = (code: string | null) => (code !== null && isRefusalCode(code) ? refusals[code][1] : null);
