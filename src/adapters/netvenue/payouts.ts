import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import type { Reply } from '../http.ts';
import { readAnswer } from './answers.ts';
import { entriesOf, fieldsOf, numberOf } from './fields.ts';
import type { Settlement } from './types.ts';

/** Venue facts: payout. The start is a Monday 00:00 UTC, or 0 for all there is; the end lies on a 12-hour boundary. */
const BOUNDARY_MS = 12 * 3_600_000;

/** The question for every settlement up to the last boundary. */
export const payoutBody = (subaccountUuid: string, nowMs: number) => ({
  subaccount_uuid: subaccountUuid,
  start_time_ms: 0,
  end_time_ms: Math.floor(nowMs / BOUNDARY_MS) * BOUNDARY_MS,
});

/** The weekly settlements, oldest first. A list that can be read only in part is unreadable: it would miss money. */
export const settlementsAnswer = (reply: Reply): Lookup<Settlement[]> => {
  const answer = readAnswer(reply);
  if (answer.kind !== 'found') return answer;
  const data = fieldsOf(answer.said.data) ?? fieldsOf(answer.said.payout_data); // the older document's name
  const weeks = entriesOf(data?.weekly_settlements)?.map(([, week]) => readWeek(week));
  if (!weeks) return unreadable('no settlements in the answer');
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
