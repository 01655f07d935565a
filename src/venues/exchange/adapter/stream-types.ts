import type { WalletAddress } from '../../../kernel/ids.ts';
import type { Fill, OrderUpdate } from './types.ts';

/** Receives what happens to the followed users. Messages may be missing, late, repeated and in any order. */
export type StreamListener = {
  onOrders(updates: OrderUpdate[]): void;
  /** Executions of a user: the newest ones at first and after every reconnect. Null: some that could not be read. */
  onFills(user: WalletAddress, fills: Fill[] | null): void;
  /** A user is followed from now on, until `onLost`. Earlier events may be missing. */
  onFollowed(user: WalletAddress): void;
  /** Nobody is followed; a reconnect is under way. */
  onLost(why: string): void;
  /** The exchange has rejected a request. */
  onError(text: string): void;
};

/** The stream of user events. */
export type UserStream = {
  /** Follows these users and no others: at most `MOST_FOLLOWED`. */
  follow(users: readonly WalletAddress[]): void;
  close(): void;
};
