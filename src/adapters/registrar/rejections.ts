import { z } from 'zod';
import { type Rejected, rejected } from '../../kernel/upstream-result.ts';

const data = z.object({ error: z.string().catch(''), code: z.string().catch('') });

/**
 * Classifies a definite rejection by status and text. The registrar sends each of these before it settles anything, except for an address that has an
 * account by another miner: that is looked up before the payment is signed. Null for a status that is not a definite rejection, and for an HTML page,
 * which comes from a proxy, except with 402: no proxy asks for payment. See venues/registrar.md#error-statuses.
 */
export const classifyRejection = (status: number, body: unknown): Rejected | null => {
  const read = data.safeParse(body);
  if (!read.success && status !== 402) return null;
  const { error, code } = read.data ?? { error: '', code: '' };
  switch (status) {
    case 400:
      return rejected('refused_for_form', 'The registrar rejected the request as malformed.');
    case 401:
      return unproven;
    case 402:
      return rejected(reasonOf(error), 'The payment was rejected.');
    case 403:
      return /_CAP$/.test(code) ? rejected('cap_reached', 'The registrar accepts no further registrations.') : unproven;
    case 409:
      return conflict(error);
    default:
      return null;
  }
};

const unproven = rejected('wallet_unproven', 'The registrar requires a signature of the wallet itself.');

const conflict = (error: string): Rejected => {
  if (/being processed/i.test(error)) return rejected('registration_pending', 'A registration is being processed.');
  if (/transaction/i.test(error)) return rejected('payment_reused', 'This payment was used before.');
  return rejected('already_registered', 'The address is already registered.');
};

/** The facilitator's reason if it is an identifier. Free text is never passed on. */
const reasonOf = (error: string): string => (/^[a-z0-9_]{1,64}$/.test(error) ? error : 'payment_refused');
