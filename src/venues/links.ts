import type { components } from '../contract/types.ts';
import type { OwnerId, WalletAddress } from '../kernel/ids.ts';
import type { PairDetail, PayoutWeek } from './portfolio.ts';
import type { TradeFacts } from './trade.ts';

type Schemas = components['schemas'];

/** A pair that copies the trades of a coin of the exchange. */
export type MirroredPair = {
  exCoin: string | null;
  tradePair: string;
  category: string;
  state: 'allowed' | 'reduce_only' | 'disabled';
};

/**
 * The account that mirrors a wallet's trades, if its owner has registered the wallet: its rules hold for the wallet as
 * well. Every member is null without such an account. Throws VENUE_UNREADABLE.
 */
export type LinkedAccount = {
  account(limits: Schemas['LeverageLimits']): Promise<Schemas['AccountInfo'] | null>;
  limits(): Promise<Schemas['LeverageLimits'] | null>;
  rules(): Promise<Schemas['Rule'][] | null>;
  pairs(): Promise<PairDetail[] | null>;
  facts(): Promise<Pick<TradeFacts, 'account' | 'drawdowns'> | null>;
  /** Throws V1_TRADER_UNKNOWN if the owner has not registered the wallet. */
  payouts(): Promise<PayoutWeek[]>;
};

/** What a venue of wallets asks of the venue that mirrors them. Neither imports the other: the process joins them. */
export type Links = {
  /** The account linked to a wallet (in lower case). Another owner's account of the same wallet is not considered. */
  of(owner: OwnerId, wallet: WalletAddress): LinkedAccount;
  registry(): Promise<MirroredPair[]>;
};
