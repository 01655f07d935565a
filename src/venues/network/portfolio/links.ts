import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import { absent, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { foundOrNull, requireFound, requireValue } from '../../found.ts';
import type { LinkedAccount, Links } from '../../links.ts';
import { accountStatusOf } from '../../reads.ts';
import type { Dashboard } from '../adapter/types.ts';
import { noteBoughtAccount } from '../subaccounts/commands.ts';
import { findWalletLink, type WalletLink } from '../subaccounts/queries.ts';
import { networkAccount } from './account.ts';
import { accountRules } from './account-rules.ts';
import { accountFacts } from './facts.ts';
import { networkLimits } from './limits.ts';
import { isMirrored } from './names.ts';
import { shownPairs } from './pairs.ts';
import { type PortfolioDeps, uuidOf, weeksOf } from './read-model.ts';

/** The accounts that mirror wallets of the exchange. */
export const linkedAccounts = (deps: PortfolioDeps): Links => ({
  of: (owner, wallet) => linkedAccount(deps, owner, wallet),
  registry: async () => requireFound(await deps.reads.tradePairs()),
});

function linkedAccount(deps: PortfolioDeps, owner: OwnerId, wallet: WalletAddress): LinkedAccount {
  const { db, reads, exBalance } = deps;
  let found: Promise<WalletLink | null> | undefined;
  const link = () => (found ??= findWalletLink(db, owner, wallet));
  const dashboardOf = async () => foundOrNull(await readLinked(deps, wallet, await link()));
  const limitsOf = async () => {
    const dashboard = await dashboardOf();
    if (!dashboard) return null;
    const hotkey = accountStatusOf(dashboard) === 'breached' ? dashboard.syntheticHotkey : null;
    return foundOrNull(await (hotkey ? reads.limits(hotkey) : reads.walletLimits(wallet)));
  };
  const mirrored = async () => requireFound(await reads.tradePairs()).filter(isMirrored);
  return {
    async account(limits) {
      const dashboard = await dashboardOf();
      if (!dashboard) return null;
      const shownAs = { venue: 'exvenue' as const, wallet, hotkey: null };
      return networkAccount(shownAs, dashboard, limits, await exBalance(dashboard.exAddress));
    },
    async limits() {
      const limits = await limitsOf();
      if (!limits) return null;
      const isPerPair = Object.keys(limits.pairLeverage).length > 0;
      return networkLimits(limits, isPerPair ? [] : await mirrored());
    },
    async rules() {
      const [dashboard, limits] = await Promise.all([dashboardOf(), limitsOf()]);
      return dashboard && limits && accountRules(dashboard, limits);
    },
    async pairs() {
      const [dashboard, limits] = await Promise.all([dashboardOf(), limitsOf()]);
      return dashboard && shownPairs(await mirrored(), limits);
    },
    async facts() {
      const dashboard = await dashboardOf();
      return dashboard && accountFacts(dashboard);
    },
    async payouts() {
      if (!(await link())) throw new ApiError('V1_TRADER_UNKNOWN');
      const dashboard = await dashboardOf();
      if (!dashboard) return [];
      const uuid = dashboard.subaccountUuid ?? (await uuidOf(reads, requireValue(dashboard.syntheticHotkey)));
      return weeksOf(reads, { uuid, hotkey: dashboard.syntheticHotkey }, dashboard);
    },
  };
}

/**
 * The network's dashboard of the account that an owner has registered for a wallet. Without a registration the network is not asked. The network
 * forgets the wallet of an eliminated account, which may be registered again, so such an account is found by its hotkey. An account that was bought
 * lately and that the network does not show yet is unreadable: it is not one without a size.
 */
export async function readLinked(
  { db, reads }: Pick<PortfolioDeps, 'db' | 'reads'>,
  wallet: WalletAddress,
  link: WalletLink | null,
): Promise<ReadResult<Dashboard>> {
  if (!link) return absent;
  const shown = await reads.walletDashboard(wallet);
  if (shown.kind === 'unreadable') return shown;
  if (shown.kind === 'found' && isOwn(link, shown.data.syntheticHotkey)) {
    const { syntheticHotkey } = shown.data;
    const isNew = syntheticHotkey !== null && syntheticHotkey !== link.seen;
    if (link.registration !== null && isNew) await noteBoughtAccount(db, link.registration, syntheticHotkey);
    return shown;
  }
  const own = link.hotkey ?? (isOwn(link, link.seen) ? link.seen : null);
  if (own !== null) return reads.dashboard(own);
  return link.is_awaited ? unreadable('the network does not show the bought account yet') : absent;
}

/** Of a wallet that somebody else has bought an account for since, an account that was not seen before is theirs. */
const isOwn = ({ hotkey, seen, others, later }: WalletLink, shown: Hotkey | null): boolean => {
  if (shown === null) return true;
  if (hotkey !== null) return shown === hotkey;
  return ![...others, ...later].includes(shown) && (later.length === 0 || shown === seen);
};
