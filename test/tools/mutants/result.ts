/**
 * One mutant: where it is, what was changed, and whether a test failed (or never ended) for it. `why`: the reason for which
 * no test can fail; such mutants are listed, and do not count.
 */
export type Result = { where: string; what: string; isKilled: boolean; why?: string };

/** Whether a line is among `FILE` and `FILE:LINE` of the command line; all are, if none is given. */
export const isAmong = (wanted: string[], file: string, line: number): boolean =>
  wanted.length === 0 || wanted.includes(file) || wanted.includes(`${file}:${line}`);

/** The killed share of mutants in percent, with one decimal. */
export const scoreOf = (results: Result[]): number =>
  Math.floor((1_000 * results.filter(({ isKilled }) => isKilled).length) / Math.max(1, results.length)) / 10;
