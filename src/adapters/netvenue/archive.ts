import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import type { Reply } from '../http.ts';
import { acceptedOrder, acceptedWithoutBrackets, readAnswer, reasonsOf } from './answers.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';
import { judgeOrderText } from './refusals.ts';
import type { ArchivedOrder } from './types.ts';

/**
 * The miner's archive of one uuid. `absent` also while the order is in flight (up to 100 s), so it proves nothing
 * by itself. Venue facts: miner REST API, order-status.
 */
export const archiveAnswer = (reply: Reply): Lookup<ArchivedOrder> => {
  const answer = readAnswer(reply);
  if (answer.kind !== 'found') return answer;
  const details = fieldsOf(answer.said.details) ?? {};
  if (answer.said.status === 'completed') return found(completed(details));
  return answer.said.status === 'failed' ? found(failed(details)) : unreadable('unknown status of the archive');
};

const completed = (details: Fields): ArchivedOrder => ({
  status: 'completed',
  executionType: executionType(details.signal_data),
  accepted: acceptedOrder(details),
  refused: null,
  message: null,
});

const failed = (details: Fields): ArchivedOrder => {
  const verdict = judgeOrderText(reasonsOf(details));
  const refused = verdict.kind === 'rejected' ? verdict : null;
  return {
    status: 'failed',
    executionType: executionType(details.original_signal),
    accepted: verdict.kind === 'filled' ? acceptedWithoutBrackets(details) : null,
    refused,
    message: refused?.message ?? null,
  };
};

const executionType = (signal: unknown): string | null =>
  textOf(fieldsOf(signal)?.execution_type)?.split('.').pop()?.toUpperCase() ?? null;
