import Big from 'big.js';

/** Which way a value between two steps goes: towards zero or away from it. */
export type Rounding = 'down' | 'up';

/** Division keeps so many places before it is rounded as asked; far beyond any price or size. */
const PLACES = 60;

/** Exact, and closed to floats: in strict mode a number can neither enter nor leave. */
const Decimal = Big();
Decimal.DP = PLACES;
Decimal.RM = Big.roundDown;
Decimal.strict = true;

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Whether a text is a decimal in plain notation. The functions below refuse any other text by throwing. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** The one spelling of a value: no exponent, no trailing or needless leading zeros, no minus before zero. */
export const canonical = (text: string): string => spelled(read(text));

/** A finite number as JSON carried it, without the noise of its last binary digit, rounded to so many decimals. */
export const ofNumber = (value: number, places = 12): string => {
  if (!Number.isFinite(value)) throw new TypeError('not a finite number');
  return spelled(new Decimal(value.toPrecision(EXACT_DIGITS)).round(places, Big.roundHalfUp));
};

const EXACT_DIGITS = 15; // decimal digits that every double carries

/** −1, 0 or 1, as `a` is less than, equal to or greater than `b`. */
export const compare = (a: string, b: string): -1 | 0 | 1 => read(a).cmp(read(b));

export const plus = (a: string, b: string): string => spelled(read(a).plus(read(b)));
export const minus = (a: string, b: string): string => spelled(read(a).minus(read(b)));
export const times = (a: string, b: string): string => spelled(read(a).times(read(b)));
export const negated = (text: string): string => spelled(read(text).neg());
export const absolute = (text: string): string => spelled(read(text).abs());
export const isZero = (text: string): boolean => compare(text, '0') === 0;
export const isPositive = (text: string): boolean => compare(text, '0') > 0;

/** `a` divided by `b`, rounded once, at the given number of places. Throws where `b` is zero. */
export const dividedBy = (a: string, b: string, places: number, rounding: Rounding): string => {
  const quotient = read(a).div(read(b)).round(places, Big.roundDown);
  const exact = quotient.times(read(b)).cmp(read(a)) === 0;
  if (exact || rounding === 'down') return spelled(quotient);
  const step = new Decimal(`1e-${places}`);
  return spelled(read(a).s === read(b).s ? quotient.plus(step) : quotient.minus(step));
};

/** The value with at most so many decimals. */
export const roundedTo = (text: string, places: number, rounding: Rounding): string =>
  spelled(read(text).round(places, rounding === 'down' ? Big.roundDown : Big.roundUp));

/** How many decimals a value needs: 2 for `1.250`. */
export const decimalsOf = (text: string): number => canonical(text).split('.')[1]?.length ?? 0;

/** The power of ten of the first digit that is not zero: 2 for `123`, −3 for `0.0012`; 0 for zero. */
export const magnitudeOf = (text: string): number => read(text).e;

const read = (text: string): Big => {
  if (!isDecimal(text)) throw new TypeError('not a decimal');
  return new Decimal(text);
};

const spelled = (value: Big): string => (value.eq('0') ? '0' : value.toFixed());
