import type { components } from '../contract/types.ts';
import type { Place } from '../kernel/pages.ts';
import { epochMs } from '../kernel/work.ts';
import type { Dated, HistoryFilter } from './history.ts';
import type { Trade, TradeFacts } from './trade.ts';

type Schemas = components['schemas'];

/** A pair as shown to a trader. */
export type PairDetail = Schemas['SupportedPairs']['details'][number];

/** What a trader earned in a week, in USD. Times are epoch milliseconds; `endMs` is exclusive. */
export type PayoutWeek = { startMs: number; endMs: number; payoutUsd: number };

/** Whether a week has ended. */
export const hasEnded = ({ endMs }: Pick<PayoutWeek, 'endMs'>): boolean => endMs <= epochMs();

/** See venues/network-validator.md#payouts. */
const SETTLES_WITHIN_MS = 36 * 3_600_000;

/**
 * Whether the network has settled a week that has ended, so that its payout is final. Until then it may not show yet what positions that were
 * open at the end had lost, or that the week is withheld.
 */
export const isSettled = ({ endMs }: Pick<PayoutWeek, 'endMs'>): boolean => endMs + SETTLES_WITHIN_MS <= epochMs();

/**
 * What one trader has at its venue, in the shapes of the contract. Every call reads the venue, through its caches, and
 * throws VENUE_UNREADABLE if a part cannot be read: no failed read becomes a zero or an empty list.
 */
export type Portfolio = {
  account(): Promise<Schemas['AccountInfo']>;
  limits(): Promise<Schemas['LeverageLimits']>;
  /** The open positions, oldest first where the venue says since when. */
  positions(): Promise<Schemas['Position'][]>;
  closedPositions(filter: HistoryFilter): Promise<Dated<Schemas['ClosedPosition']>[]>;
  filledOrders(filter: HistoryFilter): Promise<Dated<Schemas['Order']>[]>;
  /** The rules of the account with current values. Those of single pairs follow from `pairs`. */
  rules(): Promise<Schemas['Rule'][]>;
  /** The pairs that the trader may trade. */
  pairs(): Promise<PairDetail[]>;
  /** What an order is checked against. Throws V1_NO_PRICE where nothing can be checked without a price. */
  facts(trade: Trade): Promise<TradeFacts>;
  /** The weeks with a payout, oldest first. Throws V1_TRADER_UNKNOWN for a trader that can have none. */
  payouts(): Promise<PayoutWeek[]>;
};

/** The place of an open position in its list: oldest first where the venue says since when, else by its symbol. */
export const placeOfPosition = ({ open_time, position_uuid, symbol }: Schemas['Position']): Place => ({
  at: open_time ?? new Date(0).toISOString(),
  id: position_uuid ?? symbol,
});
