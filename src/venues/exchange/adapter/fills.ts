import type { WalletAddress } from '../../../kernel/ids.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { complete, decimalOf, everyOf, type Fields, fieldsOf, hexOf, integerOf, pastMsOf, textOf } from './fields.ts';
import { readSide } from './orders.ts';
import type { Fill } from './types.ts';

/** See venues/exchange.md#rows. Rows per response; only 10,000 rows can be reached in total. */
export const ROWS_PER_PAGE = 2_000;
const PAGES = 6;

/**
 * Reads the executions of a user, in the order of the response. In a liquidation both sides may carry the mark of it, so
 * its address is compared. See venues/exchange.md#executions.
 */
export const readFills =
  (user: WalletAddress) =>
  (json: unknown): Fill[] | null =>
    everyOf(json, (value) => readFill(value, user.toLowerCase()));

/**
 * All executions from `fromMs` on (epoch ms), oldest first; those of one millisecond in the venue's order, which is
 * the only one they have. The next page starts at the time of the last row, because rows of one millisecond may be
 * split over two pages. One unreadable page makes the whole result unreadable.
 */
export const allFills = async (
  fromMs: number,
  page: (fromMs: number, isNext: boolean) => Promise<ReadResult<Fill[]>>,
): Promise<ReadResult<Fill[]>> => {
  const pages: Fill[][] = [];
  let start = fromMs;
  for (let pageNumber = 0; pageNumber < PAGES; pageNumber += 1) {
    const response = await page(start, pageNumber > 0);
    if (response.kind !== 'found') return response;
    const last = response.data.reduce((latest, { timeMs }) => Math.max(latest, timeMs), start);
    const isLast = response.data.length < ROWS_PER_PAGE || pageNumber === PAGES - 1;
    const next = last > start ? last : start + 1; // a full page of one millisecond: its further rows cannot be read
    pages.push(isLast ? response.data : response.data.filter(({ timeMs }) => timeMs < next));
    if (isLast) break;
    start = next;
  }
  return found(listedOnce(pages.flat()).sort((a, b) => a.timeMs - b.timeMs));
};

/** Every execution once, also if it is listed twice. Older rows have no number. */
const listedOnce = (fills: Fill[]): Fill[] => [
  ...new Map(fills.map((fill, n) => [fill.tradeId === null ? n : `${fill.oid} ${fill.tradeId}`, fill])).values(),
];

const readFill = (value: unknown, user: WalletAddress): Fill | null => {
  const fill = fieldsOf(value);
  const required = complete({
    oid: integerOf(fill?.oid),
    coin: textOf(fill?.coin),
    side: readSide(fill?.side),
    price: decimalOf(fill?.px),
    size: decimalOf(fill?.sz),
    timeMs: pastMsOf(fill?.time),
    startPosition: decimalOf(fill?.startPosition),
    closedPnl: decimalOf(fill?.closedPnl),
    fee: decimalOf(fill?.fee),
  });
  const names = { tradeId: integerOf(fill?.tid), cloid: hexOf(fill?.cloid) };
  const isNamed = isReadOrAbsent(names.tradeId, fill?.tid) && isReadOrAbsent(names.cloid, fill?.cloid);
  if (!fill || !required || !isNamed) return null;
  return {
    ...required,
    ...names,
    direction: textOf(fill.dir) ?? '',
    feeToken: textOf(fill.feeToken) ?? '',
    isLiquidation: isLiquidationOf(user, fill),
  };
};

/**
 * Older rows lack `tid` or `cloid`, so an absent member is accepted. A member of an unknown form is not: the execution could be counted twice, or not
 * be assigned to its order.
 */
const isReadOrAbsent = (read: unknown, written: unknown): boolean => read !== null || (written ?? null) === null;

/** Whether an execution liquidated the user. A row that does not name the liquidated user says it by its direction. */
const isLiquidationOf = (user: WalletAddress, { liquidation, dir }: Fields): boolean => {
  const named = hexOf(fieldsOf(liquidation)?.liquidatedUser);
  return named === null ? textOf(dir)?.startsWith('Liquidated') === true : named === user;
};
