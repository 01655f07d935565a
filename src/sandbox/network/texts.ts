import type { Style } from './world.ts';

/** What the miner and the validator say, in the words of each generation. See venues/network.md#error-texts. */
type Texts = {
  message(error: string | null): string;
  eliminated(hotkey: string): string;
  inactive(hotkey: string, status: string): string;
  processed(uuid: string): string;
  pairUnknown(pair: string, assetClass: string, state: string | null): string;
  closeOnly(pair: string): string;
  noBuyingPower(pair: string): string;
  nothingToCancel(hotkey: string, uuid: string): string;
  exitsFailed(error: string): string;
  notFilled(order: { hotkey: string; pair: string; uuid: string }, error: string): string;
};

const OLDER: Texts = {
  message: (error) =>
    error === null ? 'Order successfully processed by Taoshi validator' : 'Order failed on Taoshi validator',
  eliminated: () => 'Subaccount is eliminated',
  inactive: (hotkey, status) => `Subaccount ${hotkey} is ${status}, not active`,
  processed: (uuid) => `Order ${uuid} was already processed`,
  pairUnknown: (pair) => `Trade pair ${pair} is not allowed for this subaccount`,
  closeOnly: (pair) => `Trade pair ${pair} is not allowed: positions can only be reduced`,
  noBuyingPower: (pair) => `No buying power remaining for ${pair} (capped by pair leverage)`,
  nothingToCancel: (_, uuid) => `Limit order ${uuid} not found`,
  exitsFailed: () => 'Market order filled successfully, but bracket order creation failed',
  notFilled: (_, error) => error,
};

const NEWEST: Texts = {
  message: (error) =>
    error === null ? 'Order successfully processed by Vanta Network' : `Order failed on Vanta Network: ${error}`,
  eliminated: (hotkey) => `This miner hotkey ${hotkey} has been eliminated and cannot participate in this subnet.`,
  inactive: (hotkey) => `Miner account for hotkey [${hotkey}] is not yet initialized. Please try again shortly.`,
  processed: (uuid) => `Order with uuid [${uuid}] has already been processed. Please try again with a new order.`,
  pairUnknown: (pair, assetClass, state) =>
    state === null || state === 'disabled'
      ? `Trade pair [${pair}] is no longer supported.`
      : `Selected asset class [${assetClass}] cannot submit orders for trade pair [${pair}].`,
  closeOnly: (pair) => `Trade pair [${pair}] is being discontinued. Please close your position.`,
  noBuyingPower: (pair) => `No buying power remaining for ${pair} (capped by positional leverage)`,
  nothingToCancel: (hotkey, uuid) => `No unfilled limit orders found for ${hotkey} (uuid=${uuid})`,
  exitsFailed: (error) => error,
  notFilled: ({ hotkey, pair, uuid }, error) =>
    `Could not fill limit order [${hotkey}] [${pair}] [${uuid}]: ${error}. Cancelling order`,
};

/** The texts of a generation. */
export const textsOf = (style: Style): Texts => (style === '2026' ? NEWEST : OLDER);
