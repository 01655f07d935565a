import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { complete, decimalOf, everyOf, fieldsOf, pastMsOf, textOf } from './fields.ts';
import type { FundingHistory, FundingPayment } from './types.ts';

/** See venues/exchange.md#rows. */
const ROWS_PER_PAGE = 500;
const PAGES = 20;

/** Reads a page of funding payments. */
export const readFunding = (json: unknown): FundingPayment[] | null =>
  everyOf(json, (value) => {
    const payment = fieldsOf(value);
    const delta = fieldsOf(payment?.delta);
    return complete({
      coin: textOf(delta?.coin),
      timeMs: pastMsOf(payment?.time),
      amount_usd: decimalOf(delta?.usdc),
      size: decimalOf(delta?.szi),
      rate: decimalOf(delta?.fundingRate),
    });
  });

/**
 * Funding payments from a time on (epoch ms), oldest first, over at most 20 pages. The next page starts at the time of the last row,
 * whose other rows may be on it. One unreadable page makes the whole result unreadable.
 */
export async function allFunding(
  fromMs: number,
  page: (fromMs: number) => Promise<ReadResult<FundingPayment[]>>,
): Promise<ReadResult<FundingHistory>> {
  const payments = new Map<string, FundingPayment>();
  let start = fromMs;
  let isWhole = false;
  for (let pageNumber = 0; pageNumber < PAGES && !isWhole; pageNumber += 1) {
    const response = await page(start);
    if (response.kind !== 'found') return response;
    for (const payment of response.data) payments.set(`${payment.timeMs} ${payment.coin}`, payment);
    isWhole = response.data.length < ROWS_PER_PAGE;
    const last = Math.max(start, ...response.data.map(({ timeMs }) => timeMs));
    start = last > start ? last : start + 1; // a full page of one time: its further rows cannot be read
  }
  return found({ payments: [...payments.values()].sort((a, b) => a.timeMs - b.timeMs), toMs: isWhole ? null : start });
}
