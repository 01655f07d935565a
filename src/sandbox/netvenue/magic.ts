/** What a partner can provoke on its own: an order of exactly this leverage behaves as told. */
export const magicLeverages = [
  { leverage: 0.0404, does: 'refuse', description: 'Refused for want of a live price; nothing is executed.' },
  {
    leverage: 0.0429,
    does: 'cooldown',
    description: 'Refused as placed too soon after another order; nothing is executed.',
  },
  { leverage: 0.0502, does: 'drop', description: 'Executed, but the connection closes without an answer.' },
  {
    leverage: 0.0503,
    does: 'disconnect',
    description: 'Executed, but the miner answers that it could not reach the network.',
  },
] as const;

export type Magic = (typeof magicLeverages)[number]['does'];

/** What the sandbox does with an order of this leverage, null for any that is not in the table. */
export const magicOf = (leverage: number | null): Magic | null =>
  magicLeverages.find((magic) => magic.leverage === leverage)?.does ?? null;
