import type { Call, Handler } from '../../edge/handler.ts';
import { readOrderPage } from '../../orders/network/queries.ts';
import {
  getSubaccount,
  readClosedPositions,
  readOpenPositions,
  readRules,
  readSubaccount,
} from '../../portfolio/network/queries.ts';
import { getReadyAccount, type ReadyAccount } from '../accounts.ts';

const HISTORY = '/v2/trading/history';
const DESK_PAGE = 100; // newest orders and closed positions on a desk

type Runtime = Call['runtime'];

export const listTradingPositions: Handler<'listTradingPositions'> = async (call) => {
  const { hotkey } = await getReadyAccount(call);
  return { status: 200, body: await readOpenPositions(call.runtime.reads, hotkey) };
};

export const getTradingBalance: Handler<'getTradingBalance'> = async (call) => ({
  status: 200,
  body: await readBalance(call.runtime, await getReadyAccount(call)),
});

export const listTradingHistory: Handler<'listTradingHistory'> = async (call) => {
  const { hotkey } = await getReadyAccount(call);
  return { status: 200, ...(await readClosedPositions(call.runtime.reads, hotkey, HISTORY, call.query)) };
};

export const listTradingRules: Handler<'listTradingRules'> = async (call) => {
  const { owner, hotkey } = await getReadyAccount(call);
  return {
    status: 200,
    body: await readRules(call.runtime.reads, await getSubaccount(call.runtime.db, owner, hotkey)),
  };
};

export const getTradingDesk: Handler<'getTradingDesk'> = async (call) => {
  const { runtime } = call;
  const account = await getReadyAccount(call);
  const [positions, orders, history, balance] = await Promise.all([
    readOpenPositions(runtime.reads, account.hotkey),
    readOpenOrders(runtime, account),
    readClosedPositions(runtime.reads, account.hotkey, HISTORY, { limit: DESK_PAGE }),
    readBalance(runtime, account),
  ]);
  return { status: 200, body: { positions, orders, history: history.body, balance } };
};

async function readOpenOrders(runtime: Pick<Runtime, 'db' | 'reads'>, { owner, hotkey }: ReadyAccount) {
  const page = await readOrderPage(runtime, owner, hotkey, { open: true, cursor: null, limit: DESK_PAGE });
  return page.map(({ status }) => status);
}

async function readBalance({ db, reads }: Pick<Runtime, 'db' | 'reads'>, account: ReadyAccount) {
  const subaccount_info = await readSubaccount(reads, await getSubaccount(db, account.owner, account.hotkey));
  return { account_size: account.account_size, status: account.status, subaccount_info };
}
