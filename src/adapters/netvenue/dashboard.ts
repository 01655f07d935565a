import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import type { Reply } from '../http.ts';
import { readDrawdown, readMoney } from './accounts.ts';
import { readAnswer } from './answers.ts';
import { anyOf, entriesOf, type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import { readOrder, readPair, readSide } from './orders.ts';
import type { Dashboard, DashboardOrder, DashboardPosition } from './types.ts';

/** A validator's dashboard in either spelling. Venue facts: validator REST API, v2 dashboard. */
export const dashboardAnswer = (reply: Reply): Lookup<Dashboard> => {
  const answer = readAnswer(reply);
  if (answer.kind !== 'found') return answer;
  const dashboard = fieldsOf(answer.said.dashboard) ?? answer.said;
  const info = fieldsOf(dashboard.subaccount_info);
  const status = info && textOf(info.status);
  const atMs = numberOf(answer.said.timestamp);
  return info && status
    ? found({ ...readDashboard(dashboard, info, status), atMs })
    : unreadable('no subaccount in the dashboard');
};

/** Orders of a list or dictionary; those without a name of their own are left out. */
export const readOrders = (value: unknown): DashboardOrder[] =>
  (entriesOf(value) ?? []).flatMap(([key, member]) => readOrder(member, key) ?? []);

const readDashboard = (dashboard: Fields, info: Fields, status: string): Omit<Dashboard, 'atMs'> => {
  const limitOrders = fieldsOf(dashboard.limit_orders);
  const positions = entriesOf(fieldsOf(dashboard.positions)?.positions ?? dashboard.positions);
  return {
    status,
    syntheticHotkey: textOf(info.synthetic_hotkey),
    subaccountUuid: textOf(info.subaccount_uuid),
    exAddress: textOf(info.hl_address)?.toLowerCase() ?? null,
    payoutAddress: textOf(info.payout_address)?.toLowerCase() ?? null,
    kycStatus: textOf(anyOf(dashboard, 'kyc_status', 'kyc')),
    drawdown: readDrawdown(dashboard.drawdown),
    money: readMoney(dashboard.account_size_data),
    totalLeverage: numberOf(fieldsOf(dashboard.positions)?.total_leverage),
    assetClass: textOf(info.asset_class),
    accountSize: numberOf(info.account_size) ?? numberOf(fieldsOf(dashboard.account_size_data)?.account_size),
    createdMs: numberOf(info.created_at_ms),
    bucket: textOf(fieldsOf(dashboard.challenge_period)?.bucket),
    elimination: readElimination(dashboard.elimination),
    positions: (positions ?? []).flatMap(([key, member]) => readPosition(member, key) ?? []),
    openOrders: readOrders(limitOrders?.open_orders),
    closedOrders: readNames(limitOrders?.closed_orders),
    reported: { positions: positions !== null, orders: limitOrders !== null },
  };
};

const readElimination = (value: unknown): Dashboard['elimination'] => {
  const elimination = fieldsOf(value);
  return (
    elimination && { atMs: numberOf(elimination.elimination_initiated_time_ms), reason: textOf(elimination.reason) }
  );
};

const readPosition = (value: unknown, key: string | null): DashboardPosition | null => {
  const position = fieldsOf(value);
  const uuid = position && (textOf(position.position_uuid) ?? key);
  const tradePair = position && readPair(anyOf(position, 'trade_pair', 'tp'));
  if (!position || !uuid || !tradePair) return null;
  return {
    uuid,
    tradePair,
    side: readSide(anyOf(position, 'position_type', 't')) ?? 'FLAT',
    openMs: numberOf(anyOf(position, 'open_ms', 'o')),
    closeMs: numberOf(anyOf(position, 'close_ms', 'c')) || null, // an open position closes at 0
    netLeverage: numberOf(anyOf(position, 'net_leverage', 'nl')),
    averageEntryPrice: numberOf(anyOf(position, 'average_entry_price', 'ap')),
    realizedPnl: numberOf(anyOf(position, 'realized_pnl', 'rp')),
    unrealizedPnl: numberOf(anyOf(position, 'unrealized_pnl', 'up')),
    returnNow: numberOf(anyOf(position, 'current_return', 'r')),
    netQuantity: numberOf(position.net_quantity),
    netValue: numberOf(position.net_value),
    filledOrders: readOrders(anyOf(position, 'fo', 'orders')),
    unfilledOrders: readOrders(anyOf(position, 'uo', 'unfilled_orders')),
    feesTotal: readFees(position),
  };
};

/** Compact: fees by the millisecond of their booking. Null where none are listed. */
const readFees = ({ fh }: Fields): number | null => {
  const fees = entriesOf(fh)?.map(([, fee]) => numberOf(fieldsOf(fee)?.a) ?? 0);
  return fees ? fees.reduce((total, fee) => total + fee, 0) : null;
};

/** Uuids from a list of texts, a list of orders, or a dictionary keyed by them. */
const readNames = (value: unknown): string[] =>
  (entriesOf(value) ?? []).flatMap(([key, member]) => {
    return textOf(member) ?? textOf(fieldsOf(member)?.order_uuid) ?? key ?? [];
  });
