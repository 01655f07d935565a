import type { Reply } from '../../../adapters/http.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { type Fields, fieldsOf, namesAnother, readResponse, textOf } from './fields.ts';
import { acceptedOrder, reasonsOf } from './orders.ts';
import { classifyOrderText, saysRestarting } from './rejections.ts';
import type { ArchivedOrder } from './signal-types.ts';

/**
 * Reads the miner's archive of one uuid. `absent` also occurs while the order is in flight (up to 100 s), so alone it
 * proves nothing. See venues/network.md#order-status.
 */
export const archiveResponse = (reply: Reply, orderUuid: string): ReadResult<ArchivedOrder> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  if (namesAnother(response.data.order_uuid, orderUuid)) return unreadable('the archive of another order');
  const details = fieldsOf(response.data.details) ?? {};
  if (response.data.status === 'completed') return found(completed(details));
  return response.data.status === 'failed' ? found(failed(details)) : unreadable('unknown status of the archive');
};

const completed = (details: Fields): ArchivedOrder => ({
  status: 'completed',
  executionType: executionType(details.signal_data),
  accepted: acceptedOrder(details, 'several'), // a record does not say how many
  said: null,
});

const failed = (details: Fields): ArchivedOrder => {
  const verdict = classifyOrderText(reasonsOf(details));
  return {
    status: 'failed',
    executionType: executionType(details.original_signal),
    accepted: null,
    said: verdict.kind === 'undecided' || saysRestarting(verdict.said) ? null : verdict.said,
  };
};

const executionType = (signal: unknown): string | null =>
  textOf(fieldsOf(signal)?.execution_type)?.split('.').pop()?.toUpperCase() ?? null;
