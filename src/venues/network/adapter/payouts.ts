import type { Reply } from '../../../adapters/http.ts';
import { roundedNumber } from '../../../kernel/decimals.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { entriesOf, fieldsOf, namesAnother, numberOf, readResponse, timeMsOf } from './fields.ts';
import type { Earning, Settlement } from './types.ts';

/**
 * See venues/network-validator.md#payouts. The start is a Monday 00:00 UTC, or 0 for the whole history. The end is on a 12-hour boundary.
 */
const BOUNDARY_MS = 12 * 3_600_000;
const WEEK_MS = 7 * 86_400_000;
const FIRST_MONDAY_MS = 4 * 86_400_000; // 1970-01-01 was a Thursday

/** The request body for all settlements up to the last boundary. */
export const payoutBody = (subaccountUuid: string, nowMs: number) => ({
  subaccount_uuid: subaccountUuid,
  start_time_ms: 0,
  end_time_ms: Math.floor(nowMs / BOUNDARY_MS) * BOUNDARY_MS,
});

/**
 * Reads the weekly settlements, oldest first, each with all of its parts. A partly readable list is unreadable: amounts would be
 * missing. So is one with a part that is there twice, which would be paid twice, and that of another account.
 */
export const settlementsResponse = (reply: Reply, { hotkey }: Earning): ReadResult<Settlement[]> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const data = fieldsOf(response.data.data) ?? fieldsOf(response.data.payout_data); // the older document's name
  if (hotkey !== null && namesAnother(data?.hotkey, hotkey)) return unreadable('the settlements of another account');
  const parts = entriesOf(data?.weekly_settlements)?.map(([, part]) => readPart(part));
  if (!parts) return unreadable('no settlements in the response');
  const readable = parts.filter((part) => part !== null);
  if (readable.length < parts.length) return unreadable('a settlement is incomplete');
  const isTwice = new Set(readable.map(({ time }) => time)).size < readable.length;
  return isTwice ? unreadable('a settlement is listed twice') : found(weeksOf(readable));
};

/** `time`: its start and end as they are written. No two parts have the same. */
type Part = { time: string; weekMs: number; payoutUsd: number };

/**
 * Reads a part of a week. Its `end_ms` does not say when its week ends: the validator ends the one that has not ended with the
 * requested time, and a part where the account changed its track.
 */
const readPart = (value: unknown): Part | null => {
  const part = fieldsOf(value);
  const startMs = timeMsOf(part?.start_ms);
  const payoutUsd = numberOf(part?.payout);
  if (startMs === null || payoutUsd === null || payoutUsd < 0) return null;
  return { time: `${startMs} ${timeMsOf(part?.end_ms)}`, weekMs: mondayOf(startMs), payoutUsd };
};

const mondayOf = (ms: number): number => FIRST_MONDAY_MS + Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS;

const weeksOf = (parts: readonly Part[]): Settlement[] =>
  [...Map.groupBy(parts, ({ weekMs }) => weekMs)]
    .map(([startMs, ofWeek]) => ({
      startMs,
      endMs: startMs + WEEK_MS,
      payoutUsd: roundedNumber(ofWeek.reduce((sum, { payoutUsd }) => sum + payoutUsd, 0)),
    }))
    .sort((a, b) => a.startMs - b.startMs);
