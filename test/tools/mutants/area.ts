/** A part of the code that is mutated, and the tests below `test/` of which one must fail for every mutant. */
export type Area = {
  /** Files whose expressions Stryker mutates, or one function of a file (`file#function`), and their tests. */
  code: { files: string[]; tests: string[] };
  /** Files whose statements of SQL and digests are changed in one place at a time, and their tests: see changes.ts. */
  sql: { files: string[]; tests: string[] }[];
};

/** The files of SQL functions. */
export const functions = (folder: string, ...names: string[]) =>
  names.map((name) => `sql/functions/${folder}/${name}.sql`);
