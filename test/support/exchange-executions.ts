/** Executions in the venue's format with the positions that they closed, by an exchange written from venues/exchange.md#executions. */
export type Executions = { rows: object[]; closed: ClosedTruth[]; gain: number };
type ClosedTruth = { coin: string; side: 'long' | 'short'; size: string; gain: string };

const COINS = [
  { coin: 'BTC', lots: 5, price: 100_000 },
  { coin: 'USUAL', lots: 1, price: 0.01152 },
  { coin: 'kPEPE', lots: 0, price: 0.0123 },
  { coin: 'xyz:TSLA', lots: 3, price: 300 },
];
const OTHER = `0x${'22'.repeat(20)}`;
const MICRO = 1e6; // gains are exact in micro-USD: prices have 6 decimals less those of the size

/** Deterministic numbers from 0 to 1. */
const randomFrom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

/**
 * A list of `count` executions. An order is executed in up to 4 parts of one millisecond, in the order of the list. A
 * position is a float to which sizes are added, as at the venue, so it keeps residue; the truth counts whole lots.
 * Trade ids are random. Every part of a liquidation names the liquidated user, on both sides. Between them lie
 * executions of spot pairs and outcomes.
 */
export function executions(count: number, seed: number): Executions {
  const random = randomFrom(seed);
  const books = COINS.map((market) => ({ ...market, lotsHeld: 0, float: 0, entry: 0, peak: 0, gain: 0 }));
  const rows: object[] = [];
  const closed: ClosedTruth[] = [];
  let gain = 0;
  let time = 1_700_000_000_000;
  while (rows.length < count) {
    const book = books[Math.floor(random() * books.length)] ?? books[0];
    if (!book) break;
    const isBuy = book.lotsHeld === 0 ? random() < 0.5 : book.lotsHeld < 0 === random() < 0.6;
    const unit = 10 ** -book.lots;
    const tick = 10 ** -(6 - book.lots);
    time += 1 + Math.floor(random() * 1_000);
    for (let part = Math.ceil(random() * 4); part > 0 && rows.length < count; part -= 1) {
      const wish = 1 + Math.floor(random() * 50);
      const lots =
        random() < 0.3 && book.lotsHeld < 0 === isBuy && book.lotsHeld !== 0 ? Math.abs(book.lotsHeld) : wish;
      const px = Math.round((book.price * (0.98 + random() * 0.04)) / tick); // in ticks
      const before = book.lotsHeld;
      const after = before + (isBuy ? lots : -lots);
      const reduced = before !== 0 && before < 0 === isBuy ? Math.min(lots, Math.abs(before)) : 0;
      const micro = Math.round((px - book.entry) * reduced) * Math.sign(before) || 0;
      const isFlat = book.lotsHeld === 0;
      rows.push({
        coin: book.coin,
        px: (px * tick).toFixed(6 - book.lots),
        sz: (lots * unit).toFixed(book.lots),
        side: isBuy ? 'B' : 'A',
        time,
        startPosition: plain(book.float),
        dir: direction(before, after),
        closedPnl: (micro / MICRO).toFixed(6),
        oid: 1,
        tid: Math.floor(random() * 2 ** 50),
        fee: '0.0',
        feeToken: 'USDC',
        ...(random() < 0.05 && { liquidation: { liquidatedUser: OTHER, markPx: '1.0', method: 'market' } }),
      });
      book.float += (isBuy ? lots : -lots) * unit;
      book.lotsHeld = after;
      book.gain += micro;
      gain += micro;
      if (isFlat || reduced === 0) {
        book.entry = Math.round((book.entry * Math.abs(before) + px * lots) / Math.abs(after));
      }
      const ended = before !== 0 && (after === 0 || after < 0 !== before < 0);
      if (ended) {
        const size = (book.peak * unit).toFixed(book.lots);
        closed.push({
          coin: book.coin,
          side: before > 0 ? 'long' : 'short',
          size,
          gain: (book.gain / MICRO).toFixed(6),
        });
        [book.gain, book.peak, book.entry] = [0, 0, after === 0 ? 0 : px];
      }
      book.peak = Math.max(book.peak, Math.abs(after));
    }
    if (random() < 0.1) rows.push(...elsewhere(time));
  }
  return { rows, closed, gain: gain / MICRO };
}

/** Executions of a spot pair by each kind of name, and of an outcome market. */
const elsewhere = (time: number): object[] =>
  ['@107', 'PURR/USDC', '#194180', '?new'].map((coin) => ({
    coin,
    px: '0.5',
    sz: '20.0',
    side: 'B',
    time,
    startPosition: '0.0',
    dir: 'Buy',
    closedPnl: '0.0',
    oid: 2,
    tid: 7,
    fee: '0.0',
    feeToken: coin.slice(0, 4),
  }));

const direction = (before: number, after: number): string => {
  if (before !== 0 && after !== 0 && before < 0 !== after < 0) return before > 0 ? 'Long > Short' : 'Short > Long';
  const verb = Math.abs(after) > Math.abs(before) ? 'Open' : 'Close';
  return `${verb} ${(before || after) > 0 ? 'Long' : 'Short'}`;
};

/** A float as the venue prints it: all its digits, without exponent. */
const plain = (value: number): string => {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20) : text;
};

/** The account whose executions they are. */
export const EXECUTING_USER = `0x${'11'.repeat(20)}`;
