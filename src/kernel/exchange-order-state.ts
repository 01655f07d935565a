const ENDS: readonly string[] = ['filled', 'cancelled', 'rejected'];

/** Whether an order of the exchange has ended, by its state: it never opens again. A state that is unknown proves nothing. */
export const hasEnded = ({ state }: { state: string }): boolean => ENDS.includes(state);

/**
 * Whether an order may go on under another number although one of its numbers was cancelled: the exchange reports a change so, perhaps before it
 * reports the new number. See venues/exchange.md#actions.
 */
export const mayGoOn = ({ word }: { word: string }): boolean => word === 'canceled';
