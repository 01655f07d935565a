import type { Problem } from '../intents/intent.ts';
import type { Hotkey, OwnerId, PropAccountId, WalletAddress } from '../kernel/ids.ts';

/** The members of a network order that are checked before it is sent. */
export type NetworkOrder = {
  trade_pair: string;
  order_type: string;
  execution_type: string;
  value?: number;
  quantity?: number;
};

/** What orders are checked against just before they are sent. Venues know no capability: the process hands these in. */
export type OrderChecks = {
  /** The rule that a network order certainly violates; null if there is none, or if the rules cannot be read in time. */
  findNetworkViolation(trader: Hotkey, order: NetworkOrder): Promise<Problem | null>;
  /** The message for a pair of the network that has another id in newer builds, such as `BTCUSD`; null if it has none. */
  findSuccessor(tradePair: string): Promise<string | null>;
  /** The same for an exchange order of an owner's wallet. */
  findExchangeViolation(owner: OwnerId, wallet: WalletAddress): Promise<Problem | null>;
  /** Whether a prop account is in evaluation or funded. */
  isTradeable(propAccountId: PropAccountId): Promise<boolean>;
};
