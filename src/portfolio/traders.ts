import type { Dashboard, Limits } from '../adapters/netvenue/types.ts';
import type { Call } from '../edge/handler.ts';
import type { Lookup } from '../kernel/answer.ts';
import { Refusal } from '../kernel/refusals.ts';
import { findOwnSubaccount, type OwnSubaccount } from './queries.ts';

/** Who a Trader-ID names. Wallets are in lower case and need no enrollment for reads. */
export type Trader = NetworkTrader | ExchangeTrader;
export type NetworkTrader = { venue: 'netvenue'; hotkey: string; subaccount: OwnSubaccount };
type ExchangeTrader = { venue: 'exvenue'; wallet: string };

type AnyCall = Pick<Call, 'runtime' | 'principal'> & { header: { 'Trader-ID': string } };

/** The trader of a call, by the kind of its id. Refuses subaccounts that are not the caller's as unknown. */
export async function getTrader(call: AnyCall): Promise<Trader> {
  const id = call.header['Trader-ID'];
  return id.startsWith('0x') ? { venue: 'exvenue', wallet: walletOf(call) } : getNetworkTrader(call);
}

/** The subaccount a call of the network's own routes is about. */
export async function getNetworkTrader({ runtime, principal, header }: AnyCall): Promise<NetworkTrader> {
  const hotkey = `${runtime.config.NETVENUE_ENTITY_HOTKEY}_${Number(header['Trader-ID'])}`;
  const subaccount = await findOwnSubaccount(runtime.db, principal.owner, hotkey);
  if (!subaccount) throw new Refusal('V1_TRADER_UNKNOWN');
  return { venue: 'netvenue', hotkey, subaccount };
}

/** The wallet a call of the exchange's own routes is about. */
export const walletOf = ({ header }: Pick<AnyCall, 'header'>): string => header['Trader-ID'].toLowerCase();

type Reads = Call['runtime']['reads'];

/** What the network says of a trader; null only for a wallet it does not know. */
export async function findDashboard(reads: Reads, trader: Trader): Promise<Dashboard | null> {
  if (trader.venue === 'exvenue') return foundOrNull(await reads.walletDashboard(trader.wallet));
  return must(await reads.dashboard(trader.hotkey));
}

/** What a trader may hold by the network's word; null only for a wallet it does not know. */
export async function findLimits(reads: Reads, trader: Trader): Promise<Limits | null> {
  if (trader.venue === 'exvenue') return foundOrNull(await reads.walletLimits(trader.wallet));
  return must(await reads.limits(trader.hotkey));
}

/** What a venue was asked for and must have. Refuses where it could not be read, and where it says that it has none. */
export function must<T>(lookup: Lookup<T>): T {
  if (lookup.kind !== 'found') throw new Refusal('VENUE_UNREADABLE');
  return lookup.said;
}

/** What a venue has, null where it says that it has none. Refuses where it could not be read. */
export function foundOrNull<T>(lookup: Lookup<T>): T | null {
  if (lookup.kind === 'unreadable') throw new Refusal('VENUE_UNREADABLE');
  return lookup.kind === 'found' ? lookup.said : null;
}

/** A number the answer cannot do without. Refuses where the venue left it out: no zero is made up. */
export function known<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Refusal('VENUE_UNREADABLE');
  return value;
}
