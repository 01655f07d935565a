import { found, type Lookup } from '../../kernel/answer.ts';
import { decimalOf, everyOf, fieldsOf, hexOf, integerOf, textOf } from './fields.ts';
import { readSide } from './orders.ts';
import type { Fill } from './types.ts';

/** Venue facts: userFillsByTime, rows of one answer; 10,000 can be reached at all. */
const ROWS_PER_PAGE = 2_000;
const PAGES = 6;

/** Executions, in the order they came. Venue facts: userFills. */
export const readFills = (json: unknown): Fill[] | null => everyOf(json, readFill);

/**
 * Every execution from `fromMs` on, oldest first, page by page: the next page begins at the time of the last row, since
 * rows of one millisecond may be parted. One unreadable page makes the whole unreadable.
 */
export const allFills = async (
  fromMs: number,
  page: (fromMs: number) => Promise<Lookup<Fill[]>>,
): Promise<Lookup<Fill[]>> => {
  const fills = new Map<number, Fill>();
  let start = fromMs;
  for (let turn = 0; turn < PAGES; turn += 1) {
    const answer = await page(start);
    if (answer.kind !== 'found') return answer;
    for (const fill of answer.said) fills.set(fill.tradeId, fill);
    const last = answer.said.reduce((latest, { timeMs }) => Math.max(latest, timeMs), start);
    if (answer.said.length < ROWS_PER_PAGE) break;
    start = last > start ? last : start + 1; // a page of one single millisecond: no more of it can be had
  }
  return found([...fills.values()].sort((a, b) => a.timeMs - b.timeMs || a.tradeId - b.tradeId));
};

const readFill = (value: unknown): Fill | null => {
  const fill = fieldsOf(value);
  const tradeId = integerOf(fill?.tid);
  const oid = integerOf(fill?.oid);
  const coin = textOf(fill?.coin);
  const side = readSide(fill?.side);
  const price = decimalOf(fill?.px);
  const size = decimalOf(fill?.sz);
  const timeMs = integerOf(fill?.time);
  if (!fill || tradeId === null || oid === null || !coin || !side) return null;
  if (price === null || size === null || timeMs === null) return null;
  return {
    tradeId,
    oid,
    cloid: hexOf(fill.cloid),
    coin,
    side,
    price,
    size,
    timeMs,
    startPosition: decimalOf(fill.startPosition) ?? '0',
    direction: textOf(fill.dir) ?? '',
    closedPnl: decimalOf(fill.closedPnl) ?? '0',
    fee: decimalOf(fill.fee) ?? '0',
    feeToken: textOf(fill.feeToken) ?? '',
    isLiquidation: fieldsOf(fill.liquidation) !== null,
  };
};
