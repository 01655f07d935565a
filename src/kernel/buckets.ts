/**
 * What the network's buckets of a subaccount mean: whether it is in its challenge or has passed and earns, and whether it keeps the rules of
 * pro accounts. See venues/network-validator.md#buckets.
 */
const BUCKETS = new Map<string, { type: 'challenge' | 'funded'; isPro: boolean }>([
  ['CHALLENGE', { type: 'challenge', isPro: false }],
  ['SUBACCOUNT_CHALLENGE', { type: 'challenge', isPro: false }],
  ['SUBACCOUNT_FUNDED', { type: 'funded', isPro: false }],
  ['SUBACCOUNT_ALPHA', { type: 'funded', isPro: false }],
  ['PRO_CHALLENGE_DIRECT', { type: 'challenge', isPro: true }],
  ['PRO_CHALLENGE_TRANSITION', { type: 'funded', isPro: false }], // it still trades its standard account
  ['PRO_CHALLENGE_FROM_STANDARD', { type: 'funded', isPro: true }],
  ['PRO_FUNDED', { type: 'funded', isPro: true }],
  ['SUBACCOUNT_PRO_CHALLENGE', { type: 'challenge', isPro: true }], // earlier names
  ['SUBACCOUNT_PRO_FUNDED', { type: 'funded', isPro: true }],
]);

/** What a bucket says of an account; null: nothing. */
export const typeOfBucket = (bucket: string | null) => BUCKETS.get(bucket ?? '')?.type ?? null;

/** Whether accounts of a bucket keep the rules of pro accounts. */
export const isPro = (bucket: string | null): boolean => BUCKETS.get(bucket ?? '')?.isPro ?? false;

/**
 * The rule of an account besides the one within a day. `drawdown.eod`: the fall of the last end of day, of a pro account that of its value, below
 * the highest end of day. `drawdown.static`: the fall of its value below its size. See venues/network-validator.md#drawdown.
 */
export type OverallRule = 'drawdown.eod' | 'drawdown.static';
