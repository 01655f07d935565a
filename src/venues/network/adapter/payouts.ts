import type { Reply } from '../../../adapters/http.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { entriesOf, fieldsOf, numberOf } from './fields.ts';
import { readResponse } from './orders.ts';
import type { Settlement } from './types.ts';

/**
 * See venues/network-validator.md#payouts. The start is a Monday 00:00 UTC, or 0 for the whole history. The end is on a 12-hour boundary.
 */
const BOUNDARY_MS = 12 * 3_600_000;

/** The request body for all settlements up to the last boundary. */
export const payoutBody = (subaccountUuid: string, nowMs: number) => ({
  subaccount_uuid: subaccountUuid,
  start_time_ms: 0,
  end_time_ms: Math.floor(nowMs / BOUNDARY_MS) * BOUNDARY_MS,
});

/** Reads the weekly settlements, oldest first. A partly readable list is unreadable: amounts would be missing. */
export const settlementsResponse = (reply: Reply): ReadResult<Settlement[]> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const data = fieldsOf(response.data.data) ?? fieldsOf(response.data.payout_data); // the older document's name
  const weeks = entriesOf(data?.weekly_settlements)?.map(([, week]) => readWeek(week));
  if (!weeks) return unreadable('no settlements in the response');
  const readable = weeks.filter((week) => week !== null).sort((a, b) => a.startMs - b.startMs);
  return readable.length === weeks.length ? found(readable) : unreadable('a settlement is incomplete');
};

const readWeek = (value: unknown): Settlement | null => {
  const week = fieldsOf(value);
  const startMs = numberOf(week?.start_ms);
  const endMs = numberOf(week?.end_ms);
  const payoutUsd = numberOf(week?.payout);
  return startMs === null || endMs === null || payoutUsd === null ? null : { startMs, endMs, payoutUsd };
};
