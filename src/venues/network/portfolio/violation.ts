import type { Problem } from '../../../intents/intent.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import type { Hotkey, WalletAddress } from '../../../kernel/ids.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import { within } from '../../../kernel/within.ts';
import type { NetworkOrder } from '../../checks.ts';
import { accountStatusOf, type VenueReads } from '../../reads.ts';
import {
  accountViolations,
  pairViolations,
  sizeViolations,
  successorText,
  type TradeFacts,
  type Violation,
} from '../../trade.ts';
import type { Dashboard, TradePair } from '../adapter/types.ts';
import type { WalletLink } from '../subaccounts/queries.ts';
import { leastOf } from './amounts.ts';
import { readLinked } from './links.ts';
import { successorOf } from './pairs.ts';
import { isOpen } from './positions.ts';
import type { PortfolioDeps } from './read-model.ts';

/** A rule that cannot be read within this time is not checked, so that it does not delay the order. */
const PATIENCE_MS = 250;

/**
 * The rule that a network order certainly violates: an unknown or disabled pair, an eliminated account, or a size below
 * the minimum. Null if there is none, or if the rules could not be read in time; then the venue decides. Orders that
 * only close or protect are not checked.
 */
export async function findNetworkViolation(
  reads: VenueReads,
  hotkey: Hotkey,
  order: NetworkOrder,
): Promise<Problem | null> {
  if (order.order_type === 'FLAT' || order.execution_type === 'BRACKET') return null;
  const [pairs, dashboard] = await Promise.all([inTime(reads.tradePairs()), inTime(reads.dashboard(hotkey))]);
  const pair = pairs.kind === 'found' ? listed(pairs.data, order.trade_pair) : undefined;
  const violations = [
    ...(await checkPair(reads, order.trade_pair, pair)),
    ...(dashboard.kind === 'found' ? checkAccount(dashboard.data) : []),
  ];
  return problemOf(violations) ?? problemOf(await checkMinimum(reads, hotkey, { pair, dashboard, order }));
}

/**
 * The rule that an exchange order certainly violates: the account that its owner linked to the wallet is eliminated.
 * Else null. Another owner's account of the same wallet is not considered.
 */
export async function findExchangeViolation(
  deps: Pick<PortfolioDeps, 'db' | 'reads'>,
  wallet: WalletAddress,
  link: WalletLink | null,
): Promise<Problem | null> {
  const linked = await inTime(readLinked(deps, wallet, link));
  return linked.kind === 'found' ? problemOf(checkAccount(linked.data)) : null;
}

/** Orders use exact wire ids. */
const listed = (pairs: TradePair[], wireId: string): TradePair | null =>
  pairs.find(({ tradePair }) => tradePair === wireId) ?? null;

/** A cached registry may lack a newly listed pair, so a violation is checked again with a fresh read. */
async function checkPair(reads: VenueReads, wireId: string, pair: TradePair | null | undefined): Promise<Violation[]> {
  if (pair === undefined || (pair && pair.state !== 'disabled')) return [];
  const now = await inTime(reads.tradePairsNow());
  if (now.kind !== 'found') return [];
  const state = listed(now.data, wireId)?.state ?? null;
  const pairNow = { asked: wireId, state, isOpenToAccount: true, successor: successorOf(now.data, wireId) };
  return pairViolations({ pair: pairNow, opens: '0' });
}

/** The message for a pair that has another id in newer builds; null if it has none, or if the registry could not be read in time. */
export async function findSuccessor(reads: VenueReads, wireId: string): Promise<string | null> {
  const pairs = await inTime(reads.tradePairs());
  const successor = pairs.kind === 'found' ? successorOf(pairs.data, wireId) : null;
  return successor && successorText(wireId, successor);
}

const checkAccount = (dashboard: Dashboard): Violation[] => {
  const account = accountStatusOf(dashboard);
  return account === 'breached' ? accountViolations({ account, drawdowns: [] }) : [];
};

/**
 * A position opened within the last second may turn a small order into a reducing one, so a violation is checked again.
 */
async function checkMinimum(
  reads: VenueReads,
  hotkey: Hotkey,
  {
    pair,
    dashboard,
    order,
  }: { pair: TradePair | null | undefined; dashboard: ReadResult<Dashboard>; order: NetworkOrder },
): Promise<Violation[]> {
  if (!pair || dashboard.kind !== 'found' || minimumViolations(pair, dashboard.data, order).length === 0) return [];
  const now = await inTime(reads.dashboardNow(hotkey));
  return now.kind === 'found' ? minimumViolations(pair, now.data, order) : [];
}

/** Certain only for a size in the unit of the minimum, and only for an order that cannot reduce a position. */
function minimumViolations({ category, tradePair }: TradePair, dashboard: Dashboard, order: NetworkOrder): Violation[] {
  const mayReduce =
    !isEmpty(dashboard) && dashboard.positions.some((held) => isOpen(held) && held.tradePair === tradePair);
  if (mayReduce || (!dashboard.reported.positions && !isEmpty(dashboard)) || dashboard.accountSize === null) return [];
  const { least, unit } = leastOf(category, dashboard.accountSize);
  const amount = unit === 'USD' ? order.value : order.quantity;
  const minimum: TradeFacts['minimum'] = amount === undefined ? null : { actual: ofNumber(amount), least, unit };
  return sizeViolations({ fault: null, minimum });
}

/** Whether no capital is in use. This proves that there are no positions, even without the positions section. */
const isEmpty = ({ money }: Dashboard): boolean => money?.capitalUsed === 0;

const problemOf = ([first]: Violation[]): Problem | null =>
  first ? { code: 'V1_RULE_VIOLATED', reason: first.rule, message: first.message } : null;

const inTime = async <T>(reading: Promise<ReadResult<T>>): Promise<ReadResult<T>> =>
  (await within(reading, PATIENCE_MS)) ?? { kind: 'unreadable', why: 'not in time' };
