import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Settlement } from '../../../venues/network/adapter/types.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { findDashboard, foundOrNull, requireFound, requireValue, type Trader } from '../traders.ts';

type Payout = components['schemas']['Payout'];

/** A trader's weeks with a payout, oldest first; empty without payouts at the network. Throws VENUE_UNREADABLE. */
export async function readWeeks(reads: VenueReads, trader: Trader): Promise<Settlement[]> {
  const uuid = await subaccountUuid(reads, trader);
  const weeks = uuid === null ? null : foundOrNull(await reads.settlements(uuid));
  return (weeks ?? []).filter(({ payoutUsd }) => payoutUsd > 0);
}

/**
 * Null only for a wallet that the network does not know. Throws V1_TRADER_UNKNOWN for a wallet that the owner has not
 * registered: all of this is the network's data. Some builds report the uuid only on the subaccount's own
 * dashboard.
 */
async function subaccountUuid(reads: VenueReads, trader: Trader): Promise<string | null> {
  if (trader.venue === 'exvenue' && !trader.link) throw new ApiError('V1_TRADER_UNKNOWN');
  if (trader.venue === 'netvenue') return trader.subaccount.subaccount_uuid ?? uuidOf(reads, trader.hotkey);
  const dashboard = await findDashboard(reads, trader);
  return dashboard && (dashboard.subaccountUuid ?? uuidOf(reads, requireValue(dashboard.syntheticHotkey)));
}

const uuidOf = async (reads: VenueReads, hotkey: Hotkey): Promise<string> =>
  requireValue(requireFound(await reads.dashboard(hotkey)).subaccountUuid);

/** Whether a week has ended, so that its payout is final. */
export const hasEnded = ({ endMs }: Settlement) => endMs <= epochMs();

/** A week's payout in the shape of the contract, paid in USDC on Base. See venues/network-validator.md#payouts. */
export const shownPayout = (week: Settlement): Payout => {
  const { startMs, endMs, payoutUsd } = week;
  const [period_start, period_end] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()];
  return {
    payout_id: `week-${period_start.slice(0, 10)}`,
    date: period_end,
    amount: ofNumber(payoutUsd, USD_PLACES),
    token: 'USDC',
    network: 'Base',
    tx_hash: null,
    status: hasEnded(week) ? 'completed' : 'pending',
    period_start,
    period_end,
  };
};

const USD_PLACES = 6;
