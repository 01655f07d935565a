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

/** What the first order of an account of exactly this size causes. */
export const magicSizes = [
  {
    size: 11_000,
    does: 'fund',
    description: 'Funded with its first order, with 500 USD earned in the last week that is settled.',
  },
  { size: 12_000, does: 'breach', description: 'Eliminated with its first order, for its drawdown.' },
] as const;

/** What the first order of an account of this size triggers, or null. */
export const magicOfSize = (size: number): (typeof magicSizes)[number]['does'] | null =>
  magicSizes.find((magic) => magic.size === size)?.does ?? null;

/** What a magic order triggers. */
export type Magic = (typeof magicLeverages)[number]['does'];

/** The fault that an order with this leverage triggers, or null. */
export const magicOf = (leverage: number | null): Magic | null =>
  magicLeverages.find((magic) => magic.leverage === leverage)?.does ?? null;
