import { handleEvent, type NotifiedDeps } from '../payments/commands.ts';
import { applyVerification } from './store.ts';

/** Applies one stored event about a verification (see `handleEvent`). Safe to repeat; events may come in any order. */
export const handleVerificationEvent = (eventId: string, deps: NotifiedDeps): Promise<void> =>
  handleEvent(eventId, deps, async (tx, { fact, said_at_ms }) => {
    if (fact.about !== 'verification') throw new Error(`An event about ${fact.about} is not about a verification`);
    return applyVerification(tx, fact, said_at_ms, 'event');
  });
