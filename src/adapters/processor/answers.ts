import Stripe from 'stripe';
import {
  type Answer,
  accepted,
  found,
  inDoubt,
  type Lookup,
  rejected,
  unreachable,
  unreadable,
} from '../../kernel/answer.ts';
import { WayFault } from './transport.ts';

const refusedOurKey = rejected('processor_auth', 'The processor did not accept our credentials.');

/**
 * What a write at the processor came to. The processor does nothing before it has accepted a request's form, key and
 * pace; a conflict, a fault of its own, or no readable answer leave it in doubt, and the same key may be used again.
 */
export async function answerOf<Seen, Said>(
  call: Promise<Seen>,
  read: (seen: Seen) => Said | null,
): Promise<Answer<Said>> {
  try {
    const said = read(await call);
    return said === null ? inDoubt('the answer lacks what it must hold') : accepted(said);
  } catch (error) {
    return answerOfFault(error);
  }
}

/** What a read at the processor came to. `absent` only where the processor itself says so. */
export async function lookupOf<Seen, Said>(
  call: Promise<Seen>,
  read: (seen: Seen) => Said | null,
): Promise<Lookup<Said>> {
  try {
    const said = read(await call);
    return said === null ? unreadable('the answer lacks what it must hold') : found(said);
  } catch (error) {
    if (codeOf(error) === 'resource_missing') return { kind: 'absent' };
    const answer = answerOfFault(error);
    return unreadable(answer.kind === 'rejected' ? answer.slug : answer.why);
  }
}

function answerOfFault(error: unknown): Exclude<Answer<never>, { kind: 'accepted' }> {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const way: unknown = error.detail; // typed as text; a fault of the connection is handed on as it is
  if (way instanceof WayFault) return way.code === 'UNSENT' ? unreachable(way.why) : inDoubt(way.why);
  if (error.statusCode === 401 || error.statusCode === 403) return refusedOurKey;
  if (error.statusCode === 429) return unreachable('the processor wants a pause');
  const decided = [400, 402, 404].includes(error.statusCode ?? 0) && error.rawType !== 'idempotency_error';
  return decided
    ? rejected(slugOf(error), 'The processor refused.')
    : inDoubt(`status ${error.statusCode ?? 'unknown'}`);
}

const codeOf = (error: unknown) => (error instanceof Stripe.errors.StripeError ? error.code : undefined);

/** The processor's own code where it is a word, never its message. */
const slugOf = ({ code, rawType }: InstanceType<typeof Stripe.errors.StripeError>): string =>
  [code, rawType].find((word) => typeof word === 'string' && /^[a-z_]{1,64}$/.test(word)) ?? 'rejected_by_processor';
