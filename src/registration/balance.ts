import type { SpotBalance } from '../adapters/exvenue/types.ts';
import { found, type Lookup, unreadable } from '../kernel/answer.ts';
import { isZero } from '../kernel/decimals.ts';
import type { WorkerRuntime } from '../runtime.ts';
import { exchangeBalance } from './rules.ts';

type Reads = WorkerRuntime['reads'];

/** What the exchange holds for a wallet, in USD, as its balance is shown: all accounts, free USDC, other free tokens at mid. */
export async function readBalance(reads: Reads, wallet: string): Promise<Lookup<string>> {
  const [accounts, spot] = await Promise.all([reads.accounts(wallet), reads.spotBalances(wallet)]);
  if (accounts.kind === 'unreadable') return accounts;
  if (spot.kind === 'unreadable') return spot;
  const balances = spot.kind === 'found' ? spot.said : [];
  const prices = await readPrices(reads, balances);
  if (!prices) return unreadable('no prices');
  return found(exchangeBalance(accounts.kind === 'found' ? accounts.said : [], balances, prices));
}

/** Mid prices of tokens in USDC; asked for only where a wallet holds any beside USDC. */
async function readPrices(reads: Reads, balances: SpotBalance[]): Promise<Record<string, string> | null> {
  if (balances.every(({ coin, free }) => coin === 'USDC' || isZero(free))) return {};
  const [assets, mids] = await Promise.all([reads.exchangeAssets('spot'), reads.mids('')]);
  if (assets.kind !== 'found' || mids.kind !== 'found') return null;
  const pairs = assets.said.filter(({ quote }) => quote === 'USDC');
  return Object.fromEntries(pairs.flatMap(({ base, coin }) => (mids.said[coin] ? [[base, mids.said[coin]]] : [])));
}
