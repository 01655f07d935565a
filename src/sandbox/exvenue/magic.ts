/** What a partner can provoke on its own: an order of exactly this size behaves as told. */
export const magicSizes = [
  { size: '0.0404', does: 'refuse', description: 'Refused for want of margin; nothing is executed.' },
  { size: '0.0429', does: 'throttle', description: 'Answered with 429; nothing is executed.' },
  { size: '0.0502', does: 'drop', description: 'Executed, but the connection closes without an answer.' },
  { size: '0.0505', does: 'half', description: 'Only half of it finds somebody to trade with.' },
] as const;

export type Magic = (typeof magicSizes)[number]['does'];

/** What the sandbox does with an order of this size, null for any that is not in the table. */
export const magicOf = (size: string): Magic | null => magicSizes.find((magic) => magic.size === size)?.does ?? null;
