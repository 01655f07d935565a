import type { FaultKind } from '../faults.ts';

/** The steps of a paid registration at which something can go wrong. */
export type Step = 'verify' | 'settle' | 'record' | 'miner' | 'answer';

/** What a partner can provoke on its own: a registration with an e-mail of this local part goes as told. */
const magicEmails: readonly { name: string; step: Step; kind: FaultKind; description: string }[] = [
  { name: 'refused', step: 'verify', kind: 'refuse', description: 'The payment is refused; nothing is paid.' },
  { name: 'dropped', step: 'answer', kind: 'reset', description: 'Paid and recorded, but the answer is lost.' },
  { name: 'unrecorded', step: 'record', kind: 'status_500', description: 'Paid, and never recorded by the registrar.' },
  { name: 'pending', step: 'miner', kind: 'refuse', description: 'Paid; the miner makes the account later.' },
];

/** The magic of an e-mail address, null for any other. */
export const magicOf = (email: string) => magicEmails.find(({ name }) => email.startsWith(`${name}@`)) ?? null;
