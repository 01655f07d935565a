/** Whether accounts of a bucket of the network have passed and earn. See venues/network-validator.md#buckets. */
export const isEarningBucket = (bucket: string | null): boolean => bucket !== null && EARNING.has(bucket);

const EARNING = new Set([
  'SUBACCOUNT_FUNDED',
  'SUBACCOUNT_ALPHA',
  'PRO_FUNDED',
  'SUBACCOUNT_PRO_FUNDED',
  'PRO_CHALLENGE_TRANSITION',
  'PRO_CHALLENGE_FROM_STANDARD',
]);
