import type { Settlement } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Call, Handler } from '../../edge/handler.ts';
import { ofNumber } from '../../kernel/decimals.ts';
import { foundOrNull, getTrader, known, must, type Trader } from '../traders.ts';

type Payout = components['schemas']['Payout'];
type Reads = Call['runtime']['reads'];

export const listPayouts: Handler<'listPayouts'> = async (call) => {
  const weeks = await weeksOf(call.runtime.reads, await getTrader(call));
  return { status: 200, body: weeks.filter(hasEnded).reverse().map(shown) };
};

export const getPendingPayout: Handler<'getPendingPayout'> = async (call) => {
  const weeks = await weeksOf(call.runtime.reads, await getTrader(call));
  const running = weeks.find((week) => !hasEnded(week));
  return running ? { status: 200, body: shown(running) } : { status: 204, body: undefined };
};

/** Weeks that earned something, oldest first. A trader the network knows no payouts of has none. */
async function weeksOf(reads: Reads, trader: Trader): Promise<Settlement[]> {
  const uuid = await subaccountUuid(reads, trader);
  const weeks = uuid === null ? null : foundOrNull(await reads.settlements(uuid));
  return (weeks ?? []).filter(({ payoutUsd }) => payoutUsd > 0);
}

/** Null only for a wallet the network does not know. Builds that leave the uuid out of a wallet's dashboard show it on its own. */
async function subaccountUuid(reads: Reads, trader: Trader): Promise<string | null> {
  if (trader.venue === 'netvenue') return trader.subaccount.subaccount_uuid ?? uuidOf(reads, trader.hotkey);
  const dashboard = foundOrNull(await reads.walletDashboard(trader.wallet));
  return dashboard && (dashboard.subaccountUuid ?? uuidOf(reads, known(dashboard.syntheticHotkey)));
}

const uuidOf = async (reads: Reads, hotkey: string): Promise<string> =>
  known(must(await reads.dashboard(hotkey)).subaccountUuid);

const hasEnded = ({ endMs }: Settlement) => endMs <= Date.now();

/** Paid in USDC on Base. Venue facts: payout amount, disbursement. */
const shown = (week: Settlement): Payout => {
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
