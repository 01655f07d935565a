/** How a pair of the network is shown: `BTC-USDC`, `EUR-USD`, `AAPL`, from its wire id or its display form. */
export function shownPair(tradePair: string): string {
  const [base, quote] = tradePair.includes('/') ? tradePair.split('/') : splitWireId(tradePair);
  return quote ? `${base}-${quote}` : String(base);
}

/** Wire ids end in their quote: `BTCUSDC`; currencies are three letters each. Shares have no quote. */
function splitWireId(id: string): [base: string, quote?: string] {
  const [, base, quote] = /^(.+?)(USDC|USD)$/.exec(id) ?? /^([A-Z]{3})([A-Z]{3})$/.exec(id) ?? [];
  return base && quote ? [base, quote] : [id];
}

/** Whether a caller's spelling names a pair: BTC-USDC, BTC/USDC, BTCUSDC or BTC; BTCUSD for a coin quoted in USDC. Case matters. */
export function namesPair(asked: string, tradePair: string): boolean {
  const id = bare(tradePair);
  const wanted = bare(asked);
  return wanted === id || `${wanted}USDC` === id || `${wanted}C` === id;
}

const bare = (pair: string) => pair.replace(/[^A-Za-z0-9]/g, '');

/** The exchange's coin of any accepted spelling of a pair: BTC-USDC, BTC/USD, BTCUSD, BTC. Case matters (kPEPE). */
export const coinOf = (pair: string): string => pair.replace(/(?<=.)[-/_]?USDC?$/, '');

/** How a coin of the exchange is shown as a pair. */
export const coinPair = (coin: string): string => `${coin}-USDC`;

/** The dex a coin is traded on: `xyz:TSLA` on xyz, others on the venue's own. */
export const dexOf = (coin: string): string => (coin.includes(':') ? (coin.split(':')[0] ?? '') : '');

/** Spot pairs are no positions: `@107`, `PURR/USDC`. */
export const isSpotCoin = (coin: string): boolean => coin.startsWith('@') || coin.includes('/');

/** Whether accounts of a class may trade a pair: linked ones whatever the exchange lists, others their own category. */
export const isOpenTo = (assetClass: string | null, pair: { category: string; source: string | null }): boolean => {
  if (assetClass === null || assetClass === 'all_markets') return true;
  return assetClass === 'hl_all' ? pair.source === 'hyperliquid' : pair.category === assetClass;
};

/** Buckets of accounts that have passed and earn. Venue facts: buckets, the earning set. */
const EARNING = [
  'SUBACCOUNT_FUNDED',
  'SUBACCOUNT_ALPHA',
  'PRO_FUNDED',
  'SUBACCOUNT_PRO_FUNDED',
  'PRO_CHALLENGE_TRANSITION',
  'PRO_CHALLENGE_FROM_STANDARD',
];

/** Which kind of account a bucket makes. */
export const accountTypeOf = (bucket: string | null): 'challenge' | 'funded' =>
  bucket !== null && EARNING.includes(bucket) ? 'funded' : 'challenge';

/** How an account stands, from the network's word on it. An account whose collateral is not burnt yet cannot trade. */
export const accountStatusOf = (account: {
  status: string;
  bucket: string | null;
  elimination: object | null;
}): 'active' | 'suspended' | 'breached' => {
  const { status, bucket, elimination } = account;
  if (elimination !== null || status === 'eliminated' || bucket === 'ELIMINATED') return 'breached';
  return status === 'active' || status === 'admin' ? 'active' : 'suspended';
};
