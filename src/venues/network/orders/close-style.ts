import type { Logger } from 'pino';
import type { Problem } from '../../../intents/intent.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import type { TradePair } from '../adapter/types.ts';

/** The setting of how positions are closed. */
export type CloseStyle = 'auto' | 'flat_all' | 'market_flat';

/** Whether the registry is that of a build that closes only the positions named. Builds since then list caps by tier. */
export const closesByUuid = (pairs: ReadResult<TradePair[]>): boolean =>
  pairs.kind === 'found' && pairs.data.some(({ leverageByTier }) => leverageByTier !== null);

/**
 * Logs how positions are closed at the network's build, as its registry shows it at the start. This is only logged: every
 * close reads the registry again, and never uses FLAT_ALL where it may touch more than its position.
 */
export async function checkCloseStyle({
  config,
  log,
  reads,
}: {
  config: { NETVENUE_CLOSE_STYLE: string };
  log: Pick<Logger, 'info' | 'warn'>;
  reads: { tradePairs(): Promise<ReadResult<TradePair[]>> };
}): Promise<void> {
  const style = config.NETVENUE_CLOSE_STYLE;
  const pairs = await reads.tradePairs();
  const byUuid = closesByUuid(pairs);
  const others = byUuid || (style === 'flat_all' && pairs.kind !== 'found') ? 'FLAT_ALL' : 'MARKET with FLAT';
  const course = {
    style,
    closesByUuid: byUuid,
    besideOtherPositions: style === 'market_flat' ? 'MARKET with FLAT' : others,
  };
  if (pairs.kind !== 'found') log.warn(course, 'close style unchecked: the registry of pairs could not be read');
  else if (style === 'flat_all' && !byUuid)
    log.warn(course, 'close style overruled: builds with this registry close every position on FLAT_ALL');
  else log.info(course, 'close style checked');
}

/** Why a verb that may place exits waits: a FLAT_ALL of the account may still be executed, and would cancel them. */
export const CLOSE_IN_FLIGHT: Problem = {
  code: 'DEADLINE_PASSED',
  message: 'A close of this account was in progress until the deadline and could cancel the exits; nothing was sent.',
};
