import type { Handler } from '../../../contract/handler.ts';
import { compare } from '../../../kernel/decimals.ts';
import { requireFound } from '../../found.ts';
import type { VenueReads } from '../../reads.ts';
import { readHoldings, usdcOf } from './holdings.ts';

type Deps = { reads: VenueReads };

/** The minimum balance of a wallet for registration, in USDC. See venues/registrar.md#miners. */
const MINIMUM_BALANCE = '0.01';

/** Returns a wallet's balance on the exchange, and whether it suffices for registration. */
export const getExchangeBalance: Handler<'getExchangeBalance', Deps> = async ({ deps, header }) => {
  const { balance } = await readHoldings(deps.reads, header['Trader-ID'].toLowerCase());
  const meets_minimum = compare(balance, MINIMUM_BALANCE) >= 0;
  return { status: 200, body: { balance, meets_minimum, minimum_required: MINIMUM_BALANCE } };
};

/** Returns a wallet's spot USDC. */
export const getSpotBalance: Handler<'getSpotBalance', Deps> = async ({ deps, header }) => {
  const wallet = header['Trader-ID'].toLowerCase();
  const { free, total, hold } = usdcOf(requireFound(await deps.reads.spotBalances(wallet)));
  return { status: 200, body: { ex_wallet: wallet, asset: 'USDC', free, total, hold } };
};
