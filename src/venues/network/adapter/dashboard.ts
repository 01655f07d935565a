import type { Reply } from '../../../adapters/http.ts';
import { isPro } from '../../../kernel/buckets.ts';
import { roundedNumber } from '../../../kernel/decimals.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import {
  anyOf,
  entriesOf,
  type Fields,
  fieldsOf,
  namesAnother,
  numberIn,
  numberOf,
  readPair,
  readResponse,
  readSide,
  sizeOf,
  textOf,
  timeMsOf,
} from './fields.ts';
import { readOrder } from './orders.ts';
import type { Dashboard, DashboardOrder, DashboardPosition, Drawdown, Money } from './types.ts';

/** Reads a validator's dashboard, compact or verbose. `asked`: the account, as its `member` names it. See venues/network-validator.md#dashboard. */
export const dashboardResponse = (
  reply: Reply,
  [member, asked]: readonly ['synthetic_hotkey' | 'hl_address', string],
): ReadResult<Dashboard> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const dashboard = fieldsOf(response.data.dashboard) ?? response.data;
  const info = fieldsOf(dashboard.subaccount_info);
  const status = info && textOf(info.status);
  const atMs = timeMsOf(response.data.timestamp);
  if (namesAnother(info?.[member], asked)) return unreadable('the dashboard of another account');
  return info && status
    ? found({ ...readDashboard(dashboard, info, status), atMs })
    : unreadable('no subaccount in the dashboard');
};

/** Reads every order of a list or dictionary. Null for any other value, or if one cannot be read: no sum or proof holds without it. */
const everyOrderIn = (value: unknown): DashboardOrder[] | null => {
  const orders = readOrders(value);
  return orders.length === entriesOf(value)?.length ? orders : null;
};

/** Reads orders from a list or dictionary. Orders without a uuid are left out. */
const readOrders = (value: unknown): DashboardOrder[] =>
  (entriesOf(value) ?? []).flatMap(([key, member]) => readOrder(member, key) ?? []);

/** Reads positions from a list or dictionary. A position that cannot be read is `closed` if that is certain, else null. */
const readPositions = (value: unknown): (DashboardPosition | 'closed' | null)[] | null =>
  entriesOf(value)?.map(
    ([key, member]) => readPosition(member, key) ?? (closedAt(fieldsOf(member)) === null ? null : 'closed'),
  ) ?? null;

/** When a position was closed; an open one has close_ms 0. */
const closedAt = (position: Fields | null): number | null => {
  const written = position && anyOf(position, 'close_ms', 'c');
  return typeof written === 'number' || typeof written === 'string' ? aboveZero(Number(written)) : null; // however large it is
};

/** The number if it is above 0, else null. */
const aboveZero = (value: number | null): number | null => (value !== null && value > 0 ? value : null);

const readDashboard = (dashboard: Fields, info: Fields, status: string): Omit<Dashboard, 'atMs'> => {
  const limitOrders = fieldsOf(dashboard.limit_orders);
  const positions = readPositions(fieldsOf(dashboard.positions)?.positions ?? dashboard.positions);
  const openOrders = limitOrders && everyOrderIn(limitOrders.open_orders ?? []); // none rest: the section may have those that ended
  const bucket = textOf(fieldsOf(dashboard.challenge_period)?.bucket);
  const criteria = textOf(fieldsOf(dashboard.drawdown)?.criteria) ?? textOf(info.drawdown_criteria);
  const overallRule = criteria === 'static' && !isPro(bucket) ? 'drawdown.static' : 'drawdown.eod';
  return {
    status,
    syntheticHotkey: textOf(info.synthetic_hotkey),
    subaccountUuid: textOf(info.subaccount_uuid),
    exAddress: textOf(info.hl_address)?.toLowerCase() ?? null,
    payoutAddress: textOf(info.payout_address)?.toLowerCase() ?? null,
    kycStatus: textOf(anyOf(dashboard, 'kyc_status', 'kyc')),
    drawdown: readDrawdown(dashboard.drawdown, { overallRule, bucket }),
    overallRule,
    money: readMoney(dashboard.account_size_data),
    totalLeverage: numberOf(fieldsOf(dashboard.positions)?.total_leverage),
    assetClass: textOf(info.asset_class),
    accountSize: sizeOf(info.account_size) ?? sizeOf(fieldsOf(dashboard.account_size_data)?.account_size),
    createdMs: timeMsOf(info.created_at_ms),
    bucket,
    elimination: readElimination(dashboard.elimination),
    positions: (positions ?? []).filter((position) => position !== null && position !== 'closed'),
    openOrders: openOrders ?? readOrders(limitOrders?.open_orders),
    closedOrders: readUuids(limitOrders?.closed_orders),
    reported: {
      positions: positions !== null && !positions.includes(null),
      closed: !positions?.includes('closed'),
      orders: openOrders !== null,
    },
  };
};

const readElimination = (value: unknown): Dashboard['elimination'] => {
  const elimination = fieldsOf(value);
  const [atMs, reason] = [timeMsOf(elimination?.elimination_initiated_time_ms), textOf(elimination?.reason)];
  return atMs === null && reason === null ? null : { atMs, reason }; // an object that says nothing ends no account
};

const readPosition = (value: unknown, key: string | null): DashboardPosition | null => {
  const position = fieldsOf(value);
  const uuid = position && (textOf(position.position_uuid) ?? key);
  const tradePair = position && readPair(anyOf(position, 'trade_pair', 'tp'));
  const closeMs = closedAt(position);
  const side = position && (readSide(anyOf(position, 'position_type', 't')) ?? (closeMs === null ? null : 'FLAT'));
  const filledOrders = position && everyOrderIn(anyOf(position, 'fo', 'orders') ?? []);
  const isDated = position && timeMsOf(anyOf(position, 'close_ms', 'c') ?? 0) !== null;
  if (!position || !uuid || !tradePair || !side || !filledOrders || !isDated) return null;
  return {
    uuid,
    tradePair,
    side,
    openMs: timeMsOf(anyOf(position, 'open_ms', 'o')),
    closeMs,
    netLeverage: numberIn(position, 'net_leverage', 'nl'),
    averageEntryPrice: aboveZero(numberIn(position, 'average_entry_price', 'ap')),
    realizedPnl: numberIn(position, 'realized_pnl', 'rp'),
    unrealizedPnl: numberIn(position, 'unrealized_pnl', 'up'),
    returnNow: numberIn(position, 'current_return', 'r'),
    netQuantity: numberOf(position.net_quantity),
    netValue: numberIn(position, 'net_value', 'nv') || null,
    filledOrders,
    unfilledOrders: readOrders(anyOf(position, 'uo', 'unfilled_orders')),
    feesTotal: readFees(position),
  };
};

/** Total fees. Compact payloads list fees by booking time (ms). Null if none are listed, or if the amount of one cannot be read. */
const readFees = ({ fh }: Fields): number | null => {
  const fees = entriesOf(fh)?.map(([, fee]) => numberOf(fieldsOf(fee)?.a)) ?? [null];
  return fees.reduce((total: number | null, fee) => (total === null || fee === null ? null : total + fee), 0);
};

/** Uuids from a list of texts, a list of orders, or a dictionary keyed by them. */
const readUuids = (value: unknown): string[] =>
  (entriesOf(value) ?? []).flatMap(([key, member]) => {
    return textOf(member) ?? textOf(fieldsOf(member)?.order_uuid) ?? key ?? [];
  });

/**
 * Reads the drawdown section, in percent. The venue writes drawdowns in percentage points and limits as fractions. Some
 * builds mix the units; the equities in the same section show which unit was used. See venues/network-validator.md#dashboard.
 */
const readDrawdown = (
  value: unknown,
  { overallRule, bucket }: Pick<Dashboard, 'overallRule' | 'bucket'>,
): Drawdown | null => {
  const section = fieldsOf(value);
  if (!section) return null;
  const equity = numberOf(section.current_equity);
  const opened = fall(equity, numberOf(section.daily_open_equity));
  const [written, shown] = readOverall(section, { overallRule, bucket });
  return {
    intraday: percent(inPoints(numberOf(section.intraday_drawdown_pct), opened)),
    intradayLimit: percent(limitOf(section, 'intraday')),
    overall: percent(inPoints(written, shown)),
    overallLimit: percent(limitOf(section, overallRule === 'drawdown.static' ? 'static' : 'eod')),
    equity,
  };
};

/**
 * The second drawdown: as the section states it, and as computed from its equities. Both null if the bucket is missing and decides which rule
 * applies.
 */
function readOverall(
  section: Fields,
  { overallRule, bucket }: Pick<Dashboard, 'overallRule' | 'bucket'>,
): [written: number | null, shown: number | null] {
  const [equity, highest] = [numberOf(section.current_equity), numberOf(section.eod_hwm)];
  const trailing = numberOf(section.trailing_drawdown_pct); // builds without it measure pro accounts at the end of day
  const isStatic = overallRule === 'drawdown.static';
  if (bucket === null && (isStatic || trailing !== null)) return [null, null];
  if (isStatic) return [numberOf(section.static_drawdown_pct), fall(equity, 1)];
  if (trailing !== null && isPro(bucket)) return [trailing, fall(equity, highest)];
  return [numberOf(section.eod_drawdown_pct), fall(numberOf(section.last_eod_equity), highest)];
}

const PERCENT_PLACES = 10;

/** The venue computes with doubles, and so do the conversions: 6 % comes as 5.999999999999995 or 6.000000000000005. */
const percent = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? roundedNumber(value, PERCENT_PLACES) : null;

/** Reads the account_size_data section. Amounts are in USD. */
const readMoney = (value: unknown): Money | null => {
  const section = fieldsOf(value);
  return (
    section && {
      realizedPnl: numberOf(section.total_realized_pnl),
      capitalUsed: numberOf(section.capital_used),
      balance: numberOf(section.balance),
      buyingPower: numberOf(section.buying_power),
    }
  );
};

/** Percent by which a value lies below `from`: the day's open, the highest end of day, or the account's size, which is 1. */
const fall = (value: number | null, from: number | null): number | null =>
  value === null || !from ? null : (1 - value / from) * 100;

/** The written drawdown, times 100 if the equities show that it is a fraction. Falls back to the equities' value. */
const inPoints = (written: number | null, shown: number | null): number | null => {
  if (written === null || shown === null) return written ?? shown;
  const isFraction = Math.abs(written * 100 - shown) < Math.abs(written - shown);
  return isFraction ? written * 100 : written;
};

/** Limits are fractions of a few hundredths. A limit above 1 is already in percent. */
const limitOf = (section: Fields, kind: 'intraday' | 'eod' | 'static'): number | null => {
  const legacy = `subaccount_challenge_${kind}_drawdown_threshold`; // the only name in older builds
  const limit = aboveZero(numberIn(section, `${kind}_drawdown_threshold`, legacy));
  return limit !== null && limit <= 1 ? limit * 100 : limit;
};
