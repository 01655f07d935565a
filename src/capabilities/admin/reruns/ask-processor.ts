import type { Processor } from '../../../adapters/processor/types.ts';
import { within } from '../../../kernel/within.ts';
import { paymentWrites } from '../../payments/intents.ts';
import { payoutWrites } from '../../payouts/intents.ts';
import type { Assessment, findSent } from './queries.ts';

const PATIENCE_MS = 5_000; // an operator waits for the page

const writes = new Map([...paymentWrites, ...payoutWrites].map((verb) => [verb.kind, verb]));

type SentWrite = NonNullable<Awaited<ReturnType<typeof findSent>>>;

/**
 * The assessment of a re-run with what the processor's lists hold now of a refund, a checkout or a step of a payout.
 * Changes no verdict to one that is less careful. Of every other intent it is returned unchanged.
 */
export async function askProcessor(assessed: Assessment, sent: SentWrite, processor: Processor): Promise<Assessment> {
  const verb = writes.get(sent.kind);
  if (!verb) return assessed;
  const seen = await within(verb.findSent(sent, processor), PATIENCE_MS);
  if (seen?.kind === 'found') return { ...assessed, venue_says: 'yes', ...(isRepeated(assessed) && FOUND) };
  if (seen?.kind === 'absent')
    return { ...assessed, venue_says: 'it has no record of it', ...(isRepeated(assessed) && ABSENT) };
  return { ...assessed, venue_says: `its lists cannot be read: ${seen?.why ?? 'no response in time'}` };
}

const isRepeated = ({ verdict }: Assessment) => verdict === 'send_again';

const FOUND = {
  verdict: 'reconcile_again',
  would_do: 'a worker records what the processor has made of it, and sends nothing',
  reason: 'the processor has it',
} as const;

const ABSENT = {
  would_do:
    'a worker searches for it again; if it is still not there, it is sent again under the same key and acts now',
};
