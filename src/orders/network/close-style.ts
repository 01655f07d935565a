import type { Dashboard, TradePair } from '../../adapters/network/types.ts';
import type { Problem } from '../../intents/intent.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { isOpenPosition } from './positions.ts';
import { samePair } from './rules.ts';

/** The setting of how positions are closed. */
export type CloseStyle = 'auto' | 'flat_all' | 'market_flat';

/** Whether the registry is that of a build that closes only the positions named. Builds since then list caps by tier. */
export const closesByUuid = (pairs: ReadResult<TradePair[]>): boolean =>
  pairs.kind === 'found' && pairs.data.some(({ leverageByTier }) => leverageByTier !== null);

/**
 * Whether FLAT_ALL could touch more than the position: of an account that has any order in another pair, because the
 * newest builds cancel all exits, also those of an order that is filled meanwhile; and of one with another position on
 * a build that is not known to close by uuid. `flat_all` counts as known where the registry cannot be read.
 */
export function mayTouchOthers(
  style: CloseStyle,
  { positions, openOrders }: Pick<Dashboard, 'positions' | 'openOrders'>,
  { pairs, trade_pair }: { pairs: ReadResult<TradePair[]>; trade_pair: string },
): boolean {
  const isElsewhere = ({ tradePair }: { tradePair: string | null }) =>
    tradePair === null || !samePair(tradePair, trade_pair);
  if (style === 'market_flat' || openOrders.some(isElsewhere)) return true;
  if (closesByUuid(pairs) || (style === 'flat_all' && pairs.kind !== 'found')) return false;
  return positions.some((position) => isOpenPosition(position) && isElsewhere(position));
}

/** Why a verb that may place exits waits: a FLAT_ALL of the account may still be carried out, and would cancel them. */
export const CLOSE_IN_FLIGHT: Problem = {
  code: 'DEADLINE_PASSED',
  message: 'A close of this account was in progress until the deadline and could cancel the exits; nothing was sent.',
};
