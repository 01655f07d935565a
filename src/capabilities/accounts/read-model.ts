import { ApiError } from '../../kernel/errors.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { VenueReads } from '../../venues/reads.ts';
import type { LinkedSubaccount } from './commands.ts';
import type { Registration } from './queries.ts';

/**
 * The subaccount that a creation has made, as the network shows it. Throws VENUE_UNREADABLE if it cannot be read, and V2_SUBACCOUNT_INVALID if it is
 * not what was requested: another size, another class or, of a linked one, another wallet.
 */
export async function getMade(
  reads: Pick<VenueReads, 'dashboard'>,
  requested: Registration['subaccount'],
  syntheticHotkey: Hotkey,
): Promise<Omit<LinkedSubaccount, 'subaccountId'>> {
  const dashboard = await reads.dashboard(syntheticHotkey);
  if (dashboard.kind === 'unreadable') throw new ApiError('VENUE_UNREADABLE', { effect: 'none' });
  const shown = dashboard.kind === 'found' ? dashboard.data : null;
  const isAlike =
    'exAddress' in requested ? shown?.exAddress === requested.exAddress : shown?.assetClass === requested.assetClass;
  if (!shown?.assetClass || !isAlike || shown.accountSize !== requested.accountSize)
    throw new ApiError('V2_SUBACCOUNT_INVALID', { effect: 'none' });
  const { subaccountUuid, assetClass, accountSize, status, exAddress, payoutAddress } = shown;
  return { syntheticHotkey, subaccountUuid, assetClass, accountSize, status, exAddress, payoutAddress };
}
