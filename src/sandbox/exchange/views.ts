import { dividedBy, isPositive } from '../../kernel/decimals.ts';
import { isOpen } from './book.ts';
import { marginOf, moneyOf, unrealizedOf, worth } from './positions.ts';
import {
  type Account,
  type Coin,
  type Fill,
  type FundingPayment,
  leverageOf,
  type Order,
  type Position,
  type Trigger,
} from './world.ts';

/** A decimal in the venue's format: a whole number gets one decimal place. */
const spelled = (text: string): string => (text.includes('.') ? text : `${text}.0`);

/** What reads and the stream have in common of an order. */
const briefView = ({ coin, isBuy, oid, placedMs, price, size, originalSize }: Order) => ({
  coin: coin.name,
  side: isBuy ? 'B' : 'A',
  limitPx: spelled(price),
  sz: spelled(size),
  oid,
  timestamp: placedMs,
  origSz: spelled(originalSize),
});

/** An order with its triggers and children. See venues/exchange.md#reads. */
export const orderView = (order: Order): object => {
  const { isBuy, cloid, trigger, reduceOnly, tif, followsPosition } = order;
  return {
    ...briefView(order),
    triggerCondition: trigger ? conditionOf(isBuy, trigger) : 'N/A',
    isTrigger: trigger !== null && !order.fired,
    triggerPx: trigger ? spelled(trigger.triggerPx) : '0.0',
    children: order.children.filter((child) => isOpen(child) && !child.live).map(orderView),
    isPositionTpsl: followsPosition,
    reduceOnly,
    orderType: typeOf(order),
    tif,
    cloid,
  };
};

/** The record of an order: its state and size when it came to rest or ended. See venues/exchange.md#rows. */
export const recordView = (order: Order): object => ({
  order: { ...orderView(order), sz: spelled(order.statusSize ?? order.size) },
  status: order.status,
  statusTimestamp: order.statusMs,
});

/** An order and its state, as the stream reports it: without its trigger. See venues/exchange.md#stream. */
export const updateView = (order: Order): object => ({
  order: { ...briefView(order), ...(order.cloid && { cloid: order.cloid }) },
  status: order.status,
  statusTimestamp: order.statusMs,
});

/** An account on one dex. See venues/exchange.md#reads. */
export const accountView = (account: Account, dex: string, asOfMs: number): object => {
  const { positions, cash, value, notional, used, withdrawable } = moneyOf(account, dex);
  const summary = { accountValue: value, totalNtlPos: notional, totalRawUsd: cash, totalMarginUsed: used };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: dividedBy(used, '2', 6, 'down'),
    withdrawable,
    assetPositions: positions.map((position) => ({ type: 'oneWay', position: positionView(account, position) })),
    time: asOfMs,
  };
};

/** One execution. See venues/exchange.md#executions. */
export const fillView = ({ order, tid, price, size, timeMs, startPosition, direction, ...fill }: Fill): object => ({
  coin: order.coin.name,
  px: spelled(price),
  sz: spelled(size),
  side: order.isBuy ? 'B' : 'A',
  time: timeMs,
  startPosition: spelled(startPosition),
  dir: direction,
  closedPnl: spelled(fill.closedPnl),
  hash: `0x${tid.toString(16).padStart(64, '0')}`,
  oid: order.oid,
  crossed: fill.crossed,
  fee: spelled(fill.fee),
  tid,
  feeToken: 'USDC',
  twapId: null,
  ...(fill.liquidation && { liquidation: fill.liquidation }),
  ...(order.cloid && { cloid: order.cloid }),
});

/** A funding payment. See venues/exchange.md#reads. */
export const fundingView = ({ coin, timeMs, usd, size, rate }: FundingPayment): object => ({
  time: timeMs,
  hash: `0x${'0'.repeat(64)}`,
  delta: {
    type: 'funding',
    coin: coin.name,
    usdc: spelled(usd),
    szi: spelled(size),
    fundingRate: rate,
    nSamples: null,
  },
});

/** The coins of a dex. `contextView` gives their prices at the same positions. See venues/exchange.md#reads. */
export const metaView = (coins: Coin[]) => ({
  universe: coins.map(({ name, sizeDecimals: szDecimals, maxLeverage, onlyIsolated, isDelisted }) => ({
    name,
    szDecimals,
    maxLeverage,
    marginTableId: maxLeverage,
    ...(onlyIsolated && { onlyIsolated, marginMode: 'strictIsolated' }),
    ...(isDelisted && { isDelisted }),
  })),
  marginTables: [],
  collateralToken: 0,
});

export const contextView = ({ mid, isDelisted }: Coin) => ({
  markPx: spelled(mid),
  midPx: isDelisted ? null : spelled(mid),
  oraclePx: spelled(mid),
  prevDayPx: spelled(mid),
  dayNtlVlm: '0.0',
  dayBaseVlm: '0.0',
  funding: '0.0000125',
  openInterest: '0.0',
  premium: null,
  impactPxs: isDelisted ? null : [spelled(mid), spelled(mid)],
});

const positionView = (account: Account, { coin, size, entry }: Position) => {
  const { value, isCross } = leverageOf(account, coin);
  const notional = worth(size, coin.mid);
  const margin = marginOf(account, coin, notional);
  const pnl = unrealizedOf(account, coin);
  return {
    coin: coin.name,
    szi: spelled(size),
    leverage: isCross ? { type: 'cross', value } : { type: 'isolated', value, rawUsd: margin },
    entryPx: spelled(dividedBy(entry, '1', 8, 'down')),
    positionValue: spelled(notional),
    unrealizedPnl: spelled(pnl),
    returnOnEquity: isPositive(margin) ? dividedBy(pnl, margin, 8, 'down') : '0.0',
    liquidationPx: null,
    marginUsed: spelled(margin),
    maxLeverage: coin.maxLeverage,
    cumFunding: { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' },
  };
};

const conditionOf = (isBuy: boolean, { tpsl, triggerPx }: Trigger) =>
  `Price ${(tpsl === 'tp') !== isBuy ? 'above' : 'below'} ${triggerPx}`;

const typeOf = ({ trigger }: Order): string => {
  if (!trigger) return 'Limit';
  return `${trigger.tpsl === 'tp' ? 'Take Profit' : 'Stop'} ${trigger.isMarket ? 'Market' : 'Limit'}`;
};
