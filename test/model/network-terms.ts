export const HOW = ['market', 'market', 'rest', 'rest', 'cross', 'stop', 'flat', 'big'] as const;
export const EDITS = ['size', 'nearer', 'cross', 'exits', 'both'] as const;

/** How far exits are from the price, in percent; below 0 they are reached already. */
export type Away = { tp: number | null; sl: number | null };
/** How an order is placed. `parts`: with exits that each close half of it. */
export type Placing = Away & { how: (typeof HOW)[number]; side: 'LONG' | 'SHORT'; parts: boolean };
type Editing = Away & { how: (typeof EDITS)[number]; which: number };

/** The prices at the start, of the pairs that any account of coins may trade. */
export const BASES: Record<string, number> = {
  ...{ BTCUSDC: 100_000, ETHUSDC: 4_000, SOLUSDC: 200, XRPUSDC: 2.5 },
  ...{ DOGEUSDC: 0.25, ADAUSDC: 0.8, HYPEUSDC: 40, kPEPEUSDC: 0.01 },
};

/** A price or size of six digits. */
export const rounded = (value: number) => Number(value.toPrecision(6));

/** Exits around a price. */
export const exitsOf = (isLong: boolean, { tp, sl }: Away, price: number) => {
  const at = (percent: number) => rounded(price * (1 + ((isLong ? 1 : -1) * percent) / 100));
  return { ...(tp !== null && { take_profit: at(tp) }), ...(sl !== null && { stop_loss: at(-sl) }) };
};

/** The terms of an order at a price. */
export function termsOf({ how, side: order_type, parts, ...exits }: Placing, price: number) {
  if (how === 'flat') return { order_type: 'FLAT' };
  const isLong = order_type === 'LONG';
  const at = (percent: number) => rounded(price * (1 + ((isLong ? 1 : -1) * percent) / 100));
  const quantity = rounded(500 / price);
  const half = rounded(250 / price);
  const guarded = (around: number) => {
    const prices = exitsOf(isLong, exits, around);
    return parts && prices.stop_loss && prices.take_profit
      ? {
          bracket_orders: [
            { stop_loss: prices.stop_loss, quantity: half },
            { take_profit: prices.take_profit, quantity: half },
          ],
        }
      : prices;
  };
  const limit = (execution_type: string, limit_price: number) => ({
    execution_type,
    limit_price,
    quantity,
    ...guarded(limit_price),
  });
  const terms = {
    market: { quantity, ...guarded(price) },
    big: { leverage: 2, ...guarded(price) },
    rest: limit('LIMIT', at(-3)),
    cross: limit('LIMIT', at(1)),
    stop: { ...limit('STOP_LIMIT', at(4)), stop_price: at(3) },
  }[how];
  return { order_type, ...terms };
}

/** The changes of an order at a price. */
export function changesOf({ how, which: n, ...exits }: Editing, price: number) {
  const quantity = rounded((400 + 20 * n) / price);
  const prices = exitsOf(true, exits, price);
  if (how === 'exits') return Object.keys(prices).length > 0 ? prices : { quantity };
  if (how === 'nearer') return { limit_price: rounded(price * 0.985) };
  if (how === 'cross') return { limit_price: rounded(price * 1.01) };
  return { quantity, ...(how === 'both' && { limit_price: rounded(price * 0.96) }) };
}
