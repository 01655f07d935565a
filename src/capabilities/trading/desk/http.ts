import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { pageBehind, slicePage } from '../../../kernel/pages.ts';
import { filterOf, type HistoryQuery, historyPage } from '../../../venues/history.ts';
import { readOpenOrders } from '../../../venues/network/orders/read-model.ts';
import { openSubaccount, type PortfolioDeps, readOpenPositions } from '../../../venues/network/portfolio/read-model.ts';
import { rulesOf } from '../../../venues/pair-rules.ts';
import { placeOfPosition } from '../../../venues/portfolio.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { getReadyAccount, type ReadyAccount } from '../accounts.ts';

type Deps = { db: Db; reads: VenueReads; network: PortfolioDeps };

const HISTORY = '/v2/trading/history';
const DESK_PAGE = 100; // closed positions

/** Lists the open positions of a prop account. */
export const listTradingPositions: Handler<'listTradingPositions', Deps> = async (call) => {
  const { hotkey } = await getReadyAccount(call);
  const shown = { path: '/v2/trading/positions', placeAt: placeOfPosition };
  return pageBehind(call.query, shown, await readOpenPositions(call.deps.reads, hotkey));
};

/** Returns the balance of a prop account. */
export const getTradingBalance: Handler<'getTradingBalance', Deps> = async (call) => ({
  status: 200,
  body: await readBalance(call.deps, await getReadyAccount(call)),
});

/** Lists the closed positions of a prop account, newest first. */
export const listTradingHistory: Handler<'listTradingHistory', Deps> = async (call) => {
  return readHistory(call.deps, await getReadyAccount(call), call.query);
};

/** Lists the rules of a prop account with current values. */
export const listTradingRules: Handler<'listTradingRules', Deps> = async (call) => {
  const { owner, hotkey } = await getReadyAccount(call);
  const rules = await rulesOf(await openSubaccount(call.deps.network, owner, hotkey));
  return slicePage(call.query, { path: '/v2/trading/rules', cursorOf: ({ rule_id }) => rule_id }, rules);
};

/** Returns positions, open orders, history and balance of a prop account in one response. */
export const getTradingDesk: Handler<'getTradingDesk', Deps> = async (call) => {
  const { deps } = call;
  const account = await getReadyAccount(call);
  const [positions, orders, history, balance] = await Promise.all([
    readOpenPositions(deps.reads, account.hotkey),
    readOpenOrders(deps, account.owner, account.hotkey),
    readHistory(deps, account, { limit: DESK_PAGE }),
    readBalance(deps, account),
  ]);
  return { status: 200, body: { positions, orders, history: history.body, balance } };
};

async function readHistory({ network }: Deps, { owner, hotkey }: ReadyAccount, query: HistoryQuery) {
  const { closedPositions } = await openSubaccount(network, owner, hotkey);
  return historyPage(HISTORY, query, await closedPositions(filterOf(query)));
}

async function readBalance({ network }: Deps, account: ReadyAccount) {
  const subaccount_info = await (await openSubaccount(network, account.owner, account.hotkey)).account();
  return { account_size: account.account_size, status: account.status, subaccount_info };
}
