/** Faults that a partner can trigger: an order with exactly this size behaves as described, unless it only reduces. */
export const magicSizes = [
  { size: '0.0404', does: 'reject', description: 'Rejected for lack of margin; nothing is executed.' },
  {
    size: '0.0429',
    does: 'throttle',
    description:
      'Rejected with 429; nothing is executed. As after a real one, entries and reads at the exchange then wait, for 10 s or more.',
  },
  { size: '0.0502', does: 'drop', description: 'Executed, but the connection closes without a response.' },
  { size: '0.0505', does: 'half', description: 'Only half of it can be filled at once.' },
] as const;

/** What a magic order triggers. */
export type Magic = (typeof magicSizes)[number]['does'];

/**
 * The fault that an order with this size triggers, or null. The size of an order that only reduces is that of a position, so
 * nobody chose it for its magic.
 */
export const magicOf = ({ size, reduceOnly }: { size: string; reduceOnly: boolean }): Magic | null =>
  reduceOnly ? null : (magicSizes.find((magic) => magic.size === size)?.does ?? null);
