/** A promise as this run found it. */
export type Verdict = { promise: string; text: string; figure: string; bound: string; kept: boolean };

/** One line for people. */
export const shown = ({ promise, text, figure, bound, kept }: Verdict): string =>
  `${kept ? 'kept    ' : 'NOT KEPT'}  ${promise.padEnd(4)} ${text}: ${figure} (promised: ${bound})`;

/** The promises that were not kept, for a test to compare with none. */
export const broken = (verdicts: readonly Verdict[]): string[] => verdicts.filter(({ kept }) => !kept).map(shown);

/** Milliseconds as seconds with one decimal. */
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
