import type { FaultKind } from '../faults.ts';

/** The steps of a paid registration that can fail. */
export type Step = 'verify' | 'settle' | 'record' | 'miner' | 'response';

/** Faults that a partner can trigger: a registration whose e-mail has this local part behaves as described. */
export const magicEmails: readonly { name: string; step: Step; kind: FaultKind; description: string }[] = [
  { name: 'refused', step: 'verify', kind: 'reject', description: 'The payment is rejected; nothing is paid.' },
  { name: 'dropped', step: 'response', kind: 'reset', description: 'Paid and recorded, but the response is lost.' },
  { name: 'unrecorded', step: 'record', kind: 'status_500', description: 'Paid, but never recorded by the registrar.' },
  { name: 'pending', step: 'miner', kind: 'reject', description: 'Paid; the miner creates the account later.' },
];

/** The fault that an e-mail address triggers, or null. */
export const magicOf = (email: string) => magicEmails.find(({ name }) => email.startsWith(`${name}@`)) ?? null;
