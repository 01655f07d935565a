import { z } from 'zod';
import { type Rejected, rejected } from '../../kernel/answer.ts';

const said = z.object({ error: z.string().catch(''), code: z.string().catch('') });

/**
 * A definite no by its status and words: each comes before the registrar settles anything. Null for a status that is none.
 * Venue facts: register error statuses; x402 v2, section 9, for the reasons of a 402.
 */
export const judgeRefusal = (status: number, body: unknown): Rejected | null => {
  const { error, code } = said.catch({ error: '', code: '' }).parse(body);
  switch (status) {
    case 400:
      return rejected('refused_for_form', 'The registrar found a fault in the request.');
    case 401:
      return unproven;
    case 402:
      return rejected(reasonOf(error), 'The payment was refused.');
    case 403:
      return /_CAP$/.test(code) ? rejected('cap_reached', 'The registrar takes no more registrations.') : unproven;
    case 409:
      return conflict(error);
    default:
      return null;
  }
};

const unproven = rejected('wallet_unproven', 'The registrar wants a signature of the wallet itself.');

const conflict = (error: string): Rejected => {
  if (/being processed/i.test(error)) return rejected('registration_pending', 'A registration is being processed.');
  if (/transaction/i.test(error)) return rejected('payment_reused', 'This payment was used before.');
  return rejected('already_registered', 'This address is registered already.');
};

/** The facilitator's reason where it is a word, never its text. */
const reasonOf = (error: string): string => (/^[a-z0-9_]{1,64}$/.test(error) ? error : 'payment_refused');
