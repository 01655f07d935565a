import type { Reported } from '../upstream.ts';
import { isFunded } from './money.ts';
import type { Account, World } from './world.ts';

const WEEK_MS = 7 * 86_400_000;
const HALF_DAY_MS = 12 * 3_600_000;
const FIRST_MONDAY_MS = 4 * 86_400_000; // 1970-01-01 was a Thursday

const SETTLES_WITHIN_MS = 36 * 3_600_000;

/** The last week that is settled. */
export const lastWeek = (nowMs: number): { start_ms: number; end_ms: number } => {
  const settledMs = nowMs - SETTLES_WITHIN_MS;
  const end_ms = settledMs - ((settledMs - FIRST_MONDAY_MS) % WEEK_MS);
  return { start_ms: end_ms - WEEK_MS, end_ms };
};

/** The weeks of a funded subaccount; the one that has not ended ends with what was asked for. See venues/network-validator.md#payouts. */
export const payoutResponse = (worlds: readonly World[], requested: Record<string, unknown>): Reported => {
  const { subaccount_uuid, start_time_ms, end_time_ms } = requested;
  const [start, end] = [Number(start_time_ms), Number(end_time_ms)];
  if (start !== 0 && (start - FIRST_MONDAY_MS) % WEEK_MS !== 0)
    return bad('start_time_ms must be Monday 00:00:00 UTC or 0');
  if (end % HALF_DAY_MS !== 0) return bad('end_time_ms must align to a 12-hour boundary');
  if (!(start <= end)) return bad('start_time_ms must be less than or equal to end_time_ms');
  const accounts = worlds.flatMap((world) => [...world.accounts.values()]);
  const account = accounts.find(({ uuid }) => uuid === subaccount_uuid);
  const settlements = account && wasFundedAt(account, end) ? account.settlements : [];
  const hasLedger =
    account && (settlements.length > 0 || account.elimination || account.open.size + account.closed.length > 0);
  if (!hasLedger) {
    return { status: 404, body: { error: `Subaccount ${subaccount_uuid} not found or has no debt ledger data` } };
  }
  const weekly_settlements = settlements
    .filter(({ start_ms }) => start_ms >= start && start_ms <= end)
    .map((week) => ({ ...week, end_ms: Math.min(week.end_ms, end) }));
  const payout = weekly_settlements.reduce((sum, week) => sum + week.payout, 0);
  const data = { hotkey: account.hotkey, total_checkpoints: 0, checkpoints: [], weekly_settlements, payout };
  return { status: 200, body: { status: 'success', data, timestamp: Date.now() } };
};

/** Whether an account is funded, or was before its elimination. */
const wasFundedAt = ({ bucket, elimination }: Account, ms: number): boolean =>
  isFunded({ bucket: (elimination && ms < elimination.atMs ? elimination.bucket : null) ?? bucket });

const bad = (error: string): Reported => ({ status: 400, body: { error } });
