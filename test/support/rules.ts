import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import type { Scraped } from './scrape.ts';

/** The example alerts. */
export const RULES = fileURLToPath(new URL('../../src/metrics/alerts.example.yml', import.meta.url));

/** Prometheus' tool that evaluates rules; undefined where the machine has none. */
export const promtool = (process.env.PATH ?? '')
  .split(delimiter)
  .map((dir) => join(dir, 'promtool'))
  .find((file) => existsSync(file));

/** Runs tests of these rules. Resolves to what the tool prints, also if they fail. */
export async function testRules(tests: object, rules = RULES): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tps-test-rules-'));
  const file = join(folder, 'tests.json');
  await writeFile(file, JSON.stringify({ rule_files: [rules], ...tests }));
  const output = await promisify(execFile)(String(promtool), ['test', 'rules', file]).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
  await rm(folder, { recursive: true });
  return output;
}

/** What the processes show while nothing is wrong, while something is, and afterwards. */
type Scrapes = { quiet: Scraped; troubled: Scraped; calm: Scraped };

const MINUTES = { quiet: 10, troubled: 75, calm: 15 };
const CAUSES = ['ServiceDown', 'NoWorkers', 'DatabaseAway', 'UpstreamDown', 'UpstreamPaused'];

/** Whether an alert fires in the end of a trouble, and whether it still does a quarter of an hour afterwards. Ages grow meanwhile. */
export async function firing(alert: string, shown: Scrapes): Promise<{ inTrouble: boolean; afterwards: boolean }> {
  const { groups } = load(await readFile(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
  const rules = groups.flatMap((group) => group.rules).filter((rule) => [...CAUSES, alert].includes(rule.alert));
  const folder = await mkdtemp(join(tmpdir(), 'tps-test-rules-'));
  const file = join(folder, 'rules.json');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'these', rules }] }));
  const output = await testRules({ evaluation_interval: '1m', tests: [testOf(alert, shown)] }, file);
  await rm(folder, { recursive: true });
  const [inTrouble, afterwards] = [...output.matchAll(/got: \{\} ([01])E\+00/g)].map(([, value]) => value === '1');
  if (inTrouble === undefined || afterwards === undefined) throw new Error(output);
  return { inTrouble, afterwards };
}

/** Both results are expected to be neither, so that the tool prints them. */
function testOf(alert: string, { quiet, troubled, calm }: Scrapes): object {
  const stages = [
    [samplesOf(quiet), MINUTES.quiet],
    [samplesOf(troubled), MINUTES.troubled],
    [samplesOf(calm), MINUTES.calm],
  ] as const;
  const series = [...new Set(stages.flatMap(([samples]) => [...samples.keys()]))];
  const inTrouble = MINUTES.quiet + MINUTES.troubled - 1;
  return {
    interval: '1m',
    input_series: series.map((name) => ({
      series: name,
      values: stages.map(([samples, minutes]) => valuesOf(name, samples.get(name), minutes)).join(' '),
    })),
    promql_expr_test: [inTrouble, inTrouble + MINUTES.calm].map((minute) => ({
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0 or vector(0)`,
      eval_time: `${minute}m`,
      exp_samples: [{ value: 2 }],
    })),
  };
}

const samplesOf = ({ samples }: Scraped) =>
  new Map(
    samples
      .filter(({ name }) => name.startsWith('tps_'))
      .map(({ name, labels, value }) => {
        const all = Object.entries({ ...labels, instance: 'a' }).map(([label, text]) => `${label}="${text}"`);
        return [`${name}{${all.join()}}`, value] as const;
      }),
  );

const AGE = /^tps_(?!clock|ledger|crontab|reads)\w+_seconds\{/;

function valuesOf(name: string, value: number | undefined, minutes: number): string {
  if (value === undefined) return `_x${minutes}`;
  return `${value}${AGE.test(name) && value > 0 ? '+60' : ''}x${minutes - 1}`;
}
