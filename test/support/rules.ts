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

/** An alert that fires in trouble and is resolved afterwards, and one that does neither (see `firing`). */
export const ONCE = { inTrouble: true, afterwards: false };
export const NEVER = { inTrouble: false, afterwards: false };

/** What the processes show while nothing is wrong, while something is, and afterwards. */
type Scrapes = { quiet: Scraped; troubled: Scraped; calm: Scraped };

const MINUTES = { quiet: 10, calm: 15 };
const LONG_TROUBLE = 75;
const SCRAPES_A_MINUTE = 3;
const CAUSES = ['ServiceDown', 'NoWorkers', 'DatabaseAway', 'UpstreamDown', 'UpstreamPaused'];

/**
 * Whether an alert fires in the end of a trouble of so many minutes, and whether it still does `after` it. What is counted in the trouble, and
 * afterwards, is counted evenly; ages grow meanwhile.
 */
export async function firing(
  alert: string,
  shown: Scrapes,
  { minutes = LONG_TROUBLE, after = MINUTES.calm } = {},
): Promise<{ inTrouble: boolean; afterwards: boolean }> {
  const { groups } = load(await readFile(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
  const rules = groups.flatMap((group) => group.rules).filter((rule) => [...CAUSES, alert].includes(rule.alert));
  const folder = await mkdtemp(join(tmpdir(), 'tps-test-rules-'));
  const file = join(folder, 'rules.json');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'these', rules }] }));
  const test = testOf(alert, shown, { troubled: minutes, calm: after });
  const output = await testRules({ evaluation_interval: '30s', tests: [test] }, file);
  await rm(folder, { recursive: true });
  const [inTrouble, afterwards] = [...output.matchAll(/got: \{\} ([01])E\+00/g)].map(([, value]) => value === '1');
  if (inTrouble === undefined || afterwards === undefined) throw new Error(output);
  return { inTrouble, afterwards };
}

/** Both results are expected to be neither, so that the tool prints them. */
function testOf(alert: string, shown: Scrapes, minutes: { troubled: number; calm: number }): object {
  const stages = [
    { samples: samplesOf(shown.quiet), minutes: MINUTES.quiet },
    { samples: samplesOf(shown.troubled), minutes: minutes.troubled },
    { samples: samplesOf(shown.calm), minutes: minutes.calm },
  ];
  const series = [...new Set(stages.flatMap(({ samples }) => [...samples.keys()]))];
  const endsAt = MINUTES.quiet + minutes.troubled;
  return {
    interval: `${60 / SCRAPES_A_MINUTE}s`,
    input_series: series.map((name) => ({
      series: name,
      values: stages
        .map(({ samples, minutes: lasting }, n) =>
          valuesOf(name, [stages[n - 1]?.samples.get(name), samples.get(name)], SCRAPES_A_MINUTE * lasting),
        )
        .join(' '),
    })),
    promql_expr_test: [endsAt - 1, endsAt + minutes.calm - 1].map((minute) => ({
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

const AGE = /^tps_(?!clock|ledger|crontab|reads|\w+_timestamp)\w+_seconds\{/;
const COUNTED = /^\w+_(total|count|sum|bucket)\{/;

/** The values of a series in one stage, `scrapes` of them. A counter that was not shown before begins with what the first scrape sees. */
function valuesOf(name: string, [before, now]: (number | undefined)[], scrapes: number): string {
  if (now === undefined) return `_x${scrapes}`;
  if (!COUNTED.test(name))
    return `${now}${AGE.test(name) && now > 0 ? `+${60 / SCRAPES_A_MINUTE}` : ''}x${scrapes - 1}`;
  const from = before !== undefined && before <= now ? before : 0; // less: its process was restarted
  const first = before === undefined ? Math.min(now, Math.max(1, now / scrapes)) : from + (now - from) / scrapes;
  return `${first}+${(now - first) / (scrapes - 1)}x${scrapes - 1}`;
}
