import { isZero } from '../../kernel/decimals.ts';
import type { WalletAddress } from '../../kernel/ids.ts';
import { found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import type { Asset, PerpAccount, SpotBalance } from '../../venues/exchange/adapter/types.ts';
import { exchangeBalance } from './rules.ts';

/** The exchange reads that a balance needs. Wallets in lower case. */
export type BalanceReads = {
  accounts(wallet: WalletAddress): Promise<ReadResult<PerpAccount[]>>;
  spotBalances(wallet: WalletAddress): Promise<ReadResult<SpotBalance[]>>;
  exchangeAssets(dex: string): Promise<ReadResult<Asset[]>>;
  mids(dex: string): Promise<ReadResult<Record<string, string>>>;
};

/**
 * A wallet's balance on the exchange in USD, as the balance endpoint shows it: all accounts, free USDC, and other free
 * tokens at mid price.
 */
export async function readBalance(reads: BalanceReads, wallet: WalletAddress): Promise<ReadResult<string>> {
  const [accounts, spot] = await Promise.all([reads.accounts(wallet), reads.spotBalances(wallet)]);
  if (accounts.kind === 'unreadable') return accounts;
  if (spot.kind === 'unreadable') return spot;
  const balances = spot.kind === 'found' ? spot.data : [];
  const prices = await readPrices(reads, balances);
  if (!prices) return unreadable('no prices');
  return found(exchangeBalance(accounts.kind === 'found' ? accounts.data : [], balances, prices));
}

/** Mid prices of tokens in USDC. Read only if the wallet holds tokens other than USDC. */
async function readPrices(reads: BalanceReads, balances: SpotBalance[]): Promise<Record<string, string> | null> {
  if (balances.every(({ coin, free }) => coin === 'USDC' || isZero(free))) return {};
  const [assets, mids] = await Promise.all([reads.exchangeAssets('spot'), reads.mids('')]);
  if (assets.kind !== 'found' || mids.kind !== 'found') return null;
  const pairs = assets.data.filter(({ quote }) => quote === 'USDC');
  return Object.fromEntries(pairs.flatMap(({ base, coin }) => (mids.data[coin] ? [[base, mids.data[coin]]] : [])));
}
