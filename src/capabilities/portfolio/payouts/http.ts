import type { Handler } from '../../../contract/handler.ts';
import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { slicePage } from '../../../kernel/pages.ts';
import { hasEnded, isSettled, type PayoutWeek } from '../../../venues/portfolio.ts';
import { openPortfolio, type PortfolioDeps } from '../portfolio.ts';

type Payout = components['schemas']['Payout'];

/** Lists a trader's payouts of past weeks, newest first. */
export const listPayouts: Handler<'listPayouts', PortfolioDeps> = async (call) => {
  const { payouts } = await openPortfolio(call);
  const shown = { path: '/v1/payouts', cursorOf: ({ date }: { date: string }) => date };
  return slicePage(call.query, shown, (await payouts()).filter(hasEnded).reverse().map(shownPayout));
};

/** Returns the payout of the current week; 204 if there is none. */
export const getPendingPayout: Handler<'getPendingPayout', PortfolioDeps> = async (call) => {
  const { payouts } = await openPortfolio(call);
  const running = (await payouts()).find((week) => !hasEnded(week));
  return running ? { status: 200, body: shownPayout(running) } : { status: 204, body: undefined };
};

/** A week's payout in the shape of the contract, paid in USDC on Base. See venues/network-validator.md#payouts. */
const shownPayout = (week: PayoutWeek): Payout => {
  const { startMs, endMs, payoutUsd } = week;
  const [period_start, period_end] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()];
  return {
    payout_id: `week-${period_start.slice(0, 10)}`,
    date: period_end,
    amount: ofNumber(payoutUsd, USD_PLACES),
    token: 'USDC',
    network: 'Base',
    tx_hash: null,
    status: isSettled(week) ? 'completed' : 'pending',
    period_start,
    period_end,
  };
};

const USD_PLACES = 6;
