import type { Priority } from '../../../capacity/exchange.ts';
import type { Side } from '../../../kernel/grid.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { Rejected } from '../../../kernel/upstream-result.ts';

/** `gtc`: stays open until cancelled. `ioc`: never stays open. `alo`: only added to the book, never matched at once. */
export type TimeInForce = 'gtc' | 'ioc' | 'alo';

/** A trigger at the mark price. The order's `price` is then its worst execution price. */
type Trigger = { price: string; kind: ExitKind; isMarket: boolean };
/** Take-profit or stop-loss. */
export type ExitKind = 'tp' | 'sl';

/** One order to sign. Prices and sizes are decimals on the asset's grid. `cloid` is 0x and 32 hex digits. */
export type OrderTerms = {
  asset: number;
  side: Side;
  price: string;
  size: string;
  reduceOnly: boolean;
  cloid?: string;
} & ({ timeInForce: TimeInForce } | { trigger: Trigger });

/**
 * An action to sign. Grouping `with_exits`: an order with its take-profit and stop-loss of fixed size. `on_position`:
 * exits that follow the size of the position.
 */
export type Action =
  | { kind: 'place'; orders: OrderTerms[]; grouping: 'none' | 'with_exits' | 'on_position' }
  | { kind: 'cancel'; orders: { asset: number; oid: number }[] }
  | { kind: 'cancel_by_cloid'; orders: { asset: number; cloid: string }[] }
  | { kind: 'replace'; orders: { target: number | string; order: OrderTerms }[] }
  | { kind: 'set_leverage'; asset: number; leverage: number; isCross: boolean }
  | { kind: 'noop' };

/** A signing key. It never exposes the key. `address` is in lower case. */
export type Signer = {
  address: WalletAddress;
  /**
   * The exact body to store and then to post. The venue executes the same bytes, hence one nonce, at most once. After
   * `expiresAfterMs` (epoch ms) it rejects them.
   */
  sign(action: Action, terms: { nonce: number; expiresAfterMs?: number; vaultAddress?: string }): Promise<string>;
};

/** Result of one item of an action, in the order of the request. */
export type ItemResult =
  | { kind: 'resting'; oid: number; cloid: string | null }
  | { kind: 'filled'; oid: number; cloid: string | null; filledSize: string; averagePrice: string }
  | { kind: 'waiting_for_fill' }
  | { kind: 'waiting_for_trigger' }
  | { kind: 'done' }
  | { kind: 'unknown'; why: string }
  | Rejected;

/** An accepted action. `items` is empty for actions without items (leverage, noop). */
export type Posted = { items: ItemResult[] };

/**
 * After `notAfter` (epoch ms) nothing is sent and the result is `unreachable`. `priority`: of a read, by default `read`;
 * a posted action has the priority of its kind.
 */
export type CallLimits = { timeoutMs?: number; signal?: AbortSignal; notAfter?: number; priority?: Priority };

/**
 * `firstSend`: these bytes were never sent before. On a repeat a rejection of the whole action proves nothing, because the first request
 * may have been executed: the result is `unknown`. Results per item prove that it was executed now. `account`: the account whose action
 * budget is charged.
 */
export type PostLimits = CallLimits & { firstSend: boolean; account?: WalletAddress };
