/** Faults that a partner can trigger: an order with exactly this leverage behaves as described. */
export const magicLeverages = [
  { leverage: 0.0404, does: 'reject', description: 'Rejected for lack of a live price; nothing is executed.' },
  {
    leverage: 0.0429,
    does: 'cooldown',
    description: 'Rejected because it was placed too soon after another order; nothing is executed.',
  },
  { leverage: 0.0502, does: 'drop', description: 'Executed, but the connection closes without a response.' },
  {
    leverage: 0.0503,
    does: 'disconnect',
    description: 'Executed, but the miner responds that it could not reach the network.',
  },
] as const;

/** What a magic order triggers. */
export type Magic = (typeof magicLeverages)[number]['does'];

/** The fault that an order with this leverage triggers, or null. */
export const magicOf = (leverage: number | null): Magic | null =>
  magicLeverages.find((magic) => magic.leverage === leverage)?.does ?? null;
