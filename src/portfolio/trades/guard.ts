import type { Dashboard, TradePair } from '../../adapters/netvenue/types.ts';
import type { Problem } from '../../intents/intent.ts';
import type { Lookup } from '../../kernel/answer.ts';
import { ofNumber } from '../../kernel/decimals.ts';
import { isOpen } from '../positions/network.ts';
import type { VenueReads } from '../reads.ts';
import { accountStatusOf } from '../rules.ts';
import {
  accountViolations,
  leastOf,
  pairViolations,
  sizeViolations,
  type TradeFacts,
  type Violation,
} from './rules.ts';

/** What an order about to be sent to the network says of itself. */
export type NetworkOrder = {
  trade_pair: string;
  order_type: string;
  execution_type: string;
  value?: number;
  quantity?: number;
};

/** Rules are looked up beside an order, never before it: what takes longer to read than this does not hold it up. */
const PATIENCE_MS = 250;

/**
 * The certain rule that an order on the network breaks: an unknown or disabled pair, an account that is eliminated, a size below
 * the minimum. Null where none is broken, and where a rule could not be looked up in time: then the venue judges for itself.
 * Orders that only close or protect are never held up.
 */
export async function brokenByNetworkOrder(
  reads: VenueReads,
  hotkey: string,
  order: NetworkOrder,
): Promise<Problem | null> {
  if (order.order_type === 'FLAT' || order.execution_type === 'BRACKET') return null;
  const [pairs, dashboard] = await Promise.all([inTime(reads.tradePairs()), inTime(reads.dashboard(hotkey))]);
  const pair = pairs.kind === 'found' ? listed(pairs.said, order.trade_pair) : undefined;
  const broken = [
    ...(await pairBroken(reads, order.trade_pair, pair)),
    ...(dashboard.kind === 'found' ? accountBroken(dashboard.said) : []),
  ];
  return problemOf(broken) ?? problemOf(await tooSmall(reads, hotkey, { pair, dashboard, order }));
}

/** The certain rule that an order on the exchange breaks: the account that the network links to the wallet is eliminated. */
export async function brokenByExchangeOrder(reads: VenueReads, wallet: string): Promise<Problem | null> {
  const dashboard = await inTime(reads.walletDashboard(wallet));
  return dashboard.kind === 'found' ? problemOf(accountBroken(dashboard.said)) : null;
}

/** Wire ids are exact: orders name them as the network does. */
const listed = (pairs: TradePair[], wireId: string): TradePair | null =>
  pairs.find(({ tradePair }) => tradePair === wireId) ?? null;

/** A registry that is a minute old may lack what was listed since: a no is asked for anew. */
async function pairBroken(reads: VenueReads, asked: string, pair: TradePair | null | undefined): Promise<Violation[]> {
  if (pair === undefined || (pair && pair.state !== 'disabled')) return [];
  const now = await inTime(reads.tradePairsNow());
  if (now.kind !== 'found') return [];
  const state = listed(now.said, asked)?.state ?? null;
  return pairViolations({ pair: { asked, state, isOpenToAccount: true }, opens: '0' });
}

const accountBroken = (dashboard: Dashboard): Violation[] => {
  const account = accountStatusOf(dashboard);
  return account === 'breached' ? accountViolations({ account, drawdowns: [] }) : [];
};

/** A position opened within the last second would make a small order one that reduces: a no is asked for anew. */
async function tooSmall(
  reads: VenueReads,
  hotkey: string,
  { pair, dashboard, order }: { pair: TradePair | null | undefined; dashboard: Lookup<Dashboard>; order: NetworkOrder },
): Promise<Violation[]> {
  if (!pair || dashboard.kind !== 'found' || minimumBroken(pair, dashboard.said, order).length === 0) return [];
  const now = await inTime(reads.dashboardNow(hotkey));
  return now.kind === 'found' ? minimumBroken(pair, now.said, order) : [];
}

/** Only a size that is its own measure is certain, and only for what cannot be reducing a position. */
function minimumBroken({ category, tradePair }: TradePair, dashboard: Dashboard, order: NetworkOrder): Violation[] {
  const mayReduce =
    !isEmpty(dashboard) && dashboard.positions.some((held) => isOpen(held) && held.tradePair === tradePair);
  if (mayReduce || (!dashboard.reported.positions && !isEmpty(dashboard)) || dashboard.accountSize === null) return [];
  const { least, unit } = leastOf(category, dashboard.accountSize);
  const amount = unit === 'USD' ? order.value : order.quantity;
  const minimum: TradeFacts['minimum'] = amount === undefined ? null : { actual: ofNumber(amount), least, unit };
  return sizeViolations({ fault: null, minimum });
}

/** A dashboard without its section of positions proves that there are none by the capital in use. */
const isEmpty = ({ money }: Dashboard): boolean => money?.capitalUsed === 0;

const problemOf = ([first]: Violation[]): Problem | null =>
  first ? { code: 'V1_RULE_VIOLATED', reason: first.rule, message: first.message } : null;

const late: Lookup<never> = { kind: 'unreadable', why: 'not in time' };

async function inTime<T>(reading: Promise<Lookup<T>>): Promise<Lookup<T>> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<Lookup<T>>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, late);
  });
  return Promise.race([reading, patience]).finally(() => clearTimeout(timer));
}
