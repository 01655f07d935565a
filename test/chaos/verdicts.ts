/** A promise and its result in this run. */
export type Verdict = { promise: string; text: string; figure: string; bound: string; kept: boolean };

/** One readable line. */
export const shown = ({ promise, text, figure, bound, kept }: Verdict): string =>
  `${kept ? 'kept    ' : 'NOT KEPT'}  ${promise.padEnd(4)} ${text}: ${figure} (promised: ${bound})`;

/** The promises that do not hold, for a test to compare with an empty list. */
export const broken = (verdicts: readonly Verdict[]): string[] => verdicts.filter(({ kept }) => !kept).map(shown);

/** Milliseconds as seconds with one decimal. */
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
