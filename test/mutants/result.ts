/** One mutant: where it is, what was changed, and whether a test failed (or never ended) for it. */
export type Result = { where: string; what: string; isKilled: boolean };

/** The killed share of mutants in percent, with one decimal. */
export const scoreOf = (results: Result[]): number =>
  Math.floor((1_000 * results.filter(({ isKilled }) => isKilled).length) / Math.max(1, results.length)) / 10;
