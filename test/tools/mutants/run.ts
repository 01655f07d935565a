import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startShared, stopPostgres } from '../../support/postgres.ts';
import { AREAS } from './areas.ts';
import { type Result, scoreOf } from './result.ts';
import { mutateSql } from './sql.ts';
import { mutateCode } from './stryker.ts';

/*
 * npm run mutants [-- --only AREA] [--mutate FILE[:LINE]] [--kind code|sql] changes the code of authentication, ownership,
 * throttles, sealing and signatures in one place at a time and expects a test to fail. It prints every mutant that no
 * test noticed, and the killed share of each area and of all. Mutants that no test can notice are listed with the reason
 * and do not count. `--only` and `--mutate` may be repeated.
 */
const LEAST_PERCENT = 95;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    mutate: { type: 'string', multiple: true },
    kind: { type: 'string' },
  },
});
const { only = Object.keys(AREAS), mutate = [], kind } = options;

process.env.TEST_SERVER = await startShared();
const all: Result[] = [];
for (const name of only) {
  const area = AREAS[name];
  if (!area) throw new Error(`No area ${name}: ${Object.keys(AREAS).join(', ')}`);
  const results = [
    ...(kind === 'sql' ? [] : await mutateCode(area, mutate, availableParallelism())),
    ...(kind === 'code' ? [] : await mutateSql(area, mutate, process.env.TEST_SERVER)),
  ];
  const counted = results.filter(({ why }) => why === undefined);
  all.push(...counted);
  console.log();
  for (const { where, what, why } of results) if (why) console.log(`equivalent  ${where}  ${what}: ${why}`);
  for (const { where, what, isKilled } of counted) if (!isKilled) console.log(`survived  ${where}  ${what}`);
  console.log(`${name}: ${summary(counted)}, ${results.length - counted.length} equivalent`);
}
await stopPostgres();
console.log(`mutation score: ${summary(all)}`);
process.exitCode = scoreOf(all) < LEAST_PERCENT ? 1 : 0;

function summary(results: Result[]): string {
  const killed = results.filter(({ isKilled }) => isKilled).length;
  return `${scoreOf(results)} % (${killed} of ${results.length} killed)`;
}
