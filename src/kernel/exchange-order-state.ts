const ENDS: readonly string[] = ['filled', 'cancelled', 'rejected'];

/** Whether an order of the exchange has ended, by its state: it never opens again. A state that is unknown proves nothing. */
export const hasEnded = ({ state }: { state: string }): boolean => ENDS.includes(state);
