import Big from 'big.js';

/** The direction in which a value is rounded: `down` towards zero, `up` away from zero. */
export type Rounding = 'down' | 'up';

/** Decimal places of a division before the requested rounding; far more than any price or size has. */
const PLACES = 60;

/** Exact arithmetic. Strict mode throws on conversion from or to a JavaScript number. */
const Decimal = Big();
Decimal.DP = PLACES;
Decimal.RM = Big.roundDown;
Decimal.strict = true;

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Whether a text is a decimal in plain notation. The functions below throw a `TypeError` for any other text. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/**
 * The canonical form of a value: no exponent, no trailing zeros, no superfluous leading zeros, no minus before zero.
 */
export const canonical = (text: string): string => formatted(read(text));

/**
 * The decimal of a finite JSON number: 15 significant digits, rounded half up to `places` decimals. Throws if not
 * finite.
 */
export const ofNumber = (value: number, places = 12): string => {
  if (!Number.isFinite(value)) throw new TypeError('not a finite number');
  return formatted(new Decimal(value.toPrecision(EXACT_DIGITS)).round(places, Big.roundHalfUp));
};

/** An amount of a request, exactly: a decimal text, or a number by its shortest decimal form. Throws for anything else. */
export const ofAmount = (amount: number | string): string =>
  typeof amount === 'string' ? canonical(amount) : formatted(new Decimal(String(amount)));

/** The JSON number of the same decimal: what arithmetic with doubles computed, without its residue. Throws if not finite. */
export const roundedNumber = (value: number, places = 12): number => Number(ofNumber(value, places));

const EXACT_DIGITS = 15; // decimal digits that every double carries

/** −1, 0 or 1, as `a` is less than, equal to or greater than `b`. */
export const compare = (a: string, b: string): -1 | 0 | 1 => read(a).cmp(read(b));

/** `a` + `b`, exactly. */
export const plus = (a: string, b: string): string => formatted(read(a).plus(read(b)));
/** `a` − `b`, exactly. */
export const minus = (a: string, b: string): string => formatted(read(a).minus(read(b)));
/** `a` × `b`, exactly. */
export const times = (a: string, b: string): string => formatted(read(a).times(read(b)));
/** The value with the opposite sign. */
export const negated = (text: string): string => formatted(read(text).neg());
/** The value without its sign. */
export const absolute = (text: string): string => formatted(read(text).abs());
/** Whether the value is zero. */
export const isZero = (text: string): boolean => compare(text, '0') === 0;
/** Whether the value is greater than zero. */
export const isPositive = (text: string): boolean => compare(text, '0') > 0;

/** `a` ÷ `b`, rounded once to `places` decimals. Throws if `b` is zero. */
export const dividedBy = (a: string, b: string, places: number, rounding: Rounding): string => {
  const quotient = read(a).div(read(b)).round(places, Big.roundDown);
  const exact = quotient.times(read(b)).cmp(read(a)) === 0;
  if (exact || rounding === 'down') return formatted(quotient);
  const step = new Decimal(`1e-${places}`);
  return formatted(read(a).s === read(b).s ? quotient.plus(step) : quotient.minus(step));
};

/** The value rounded to at most `places` decimals. */
export const roundedTo = (text: string, places: number, rounding: Rounding): string =>
  formatted(read(text).round(places, rounding === 'down' ? Big.roundDown : Big.roundUp));

/** The value rounded to the nearest multiple of 10^−`places`, halves away from zero. */
export const nearest = (text: string, places: number): string => formatted(read(text).round(places, Big.roundHalfUp));

/** The number of decimals that a value needs: 2 for `1.250`. */
export const decimalsOf = (text: string): number => canonical(text).split('.')[1]?.length ?? 0;

/** The power of ten of the first non-zero digit: 2 for `123`, −3 for `0.0012`; 0 for zero. */
export const magnitudeOf = (text: string): number => read(text).e;

const read = (text: string): Big => {
  if (!isDecimal(text)) throw new TypeError('not a decimal');
  return new Decimal(text);
};

const formatted = (value: Big): string => (value.eq('0') ? '0' : value.toFixed());
