import { found, type ReadResult } from '../../kernel/upstream-result.ts';
import { complete, decimalOf, everyOf, fieldsOf, hexOf, integerOf, textOf } from './fields.ts';
import { readSide } from './orders.ts';
import type { Fill } from './types.ts';

/** Venue facts: userFillsByTime. Rows per response; only 10,000 rows can be reached in total. */
const ROWS_PER_PAGE = 2_000;
const PAGES = 6;

/** Reads executions, in the order of the response. Venue facts: userFills. */
export const readFills = (json: unknown): Fill[] | null => everyOf(json, readFill);

/**
 * All executions from `fromMs` on (epoch ms), oldest first. The next page starts at the time of the last row, because
 * rows of one millisecond may be split over two pages. One unreadable page makes the whole result unreadable.
 */
export const allFills = async (
  fromMs: number,
  page: (fromMs: number) => Promise<ReadResult<Fill[]>>,
): Promise<ReadResult<Fill[]>> => {
  const fills = new Map<number, Fill>();
  let start = fromMs;
  for (let pageNumber = 0; pageNumber < PAGES; pageNumber += 1) {
    const response = await page(start);
    if (response.kind !== 'found') return response;
    for (const fill of response.data) fills.set(fill.tradeId, fill);
    const last = response.data.reduce((latest, { timeMs }) => Math.max(latest, timeMs), start);
    if (response.data.length < ROWS_PER_PAGE) break;
    start = last > start ? last : start + 1; // a full page of one millisecond: its further rows cannot be read
  }
  return found([...fills.values()].sort((a, b) => a.timeMs - b.timeMs || a.tradeId - b.tradeId));
};

const readFill = (value: unknown): Fill | null => {
  const fill = fieldsOf(value);
  const required = complete({
    tradeId: integerOf(fill?.tid),
    oid: integerOf(fill?.oid),
    coin: textOf(fill?.coin),
    side: readSide(fill?.side),
    price: decimalOf(fill?.px),
    size: decimalOf(fill?.sz),
    timeMs: integerOf(fill?.time),
  });
  if (!fill || !required) return null;
  return {
    ...required,
    cloid: hexOf(fill.cloid),
    startPosition: decimalOf(fill.startPosition) ?? '0',
    direction: textOf(fill.dir) ?? '',
    closedPnl: decimalOf(fill.closedPnl) ?? '0',
    fee: decimalOf(fill.fee) ?? '0',
    feeToken: textOf(fill.feeToken) ?? '',
    isLiquidation: fieldsOf(fill.liquidation) !== null,
  };
};
