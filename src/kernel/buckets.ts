/** Whether accounts of a bucket of the network have passed and earn. See venues/network-validator.md#buckets. */
export const isEarningBucket = (bucket: string | null): boolean => bucket !== null && EARNING.has(bucket);

/**
 * The rule of an account besides the one within a day. `drawdown.eod`: the fall of the last end of day below the highest one.
 * `drawdown.static`: the fall of its value below its size. See venues/network-validator.md#drawdown.
 */
export type OverallRule = 'drawdown.eod' | 'drawdown.static';

/** Whether accounts of a bucket keep the rules of pro accounts. See venues/network-validator.md#drawdown. */
export const isPro = (bucket: string | null): boolean => bucket !== null && PRO.has(bucket);

const PRO = new Set([
  'PRO_CHALLENGE_DIRECT',
  'PRO_CHALLENGE_FROM_STANDARD',
  'PRO_FUNDED',
  'SUBACCOUNT_PRO_CHALLENGE',
  'SUBACCOUNT_PRO_FUNDED',
]);

const EARNING = new Set([
  'SUBACCOUNT_FUNDED',
  'SUBACCOUNT_ALPHA',
  'PRO_FUNDED',
  'SUBACCOUNT_PRO_FUNDED',
  'PRO_CHALLENGE_TRANSITION',
  'PRO_CHALLENGE_FROM_STANDARD',
]);
