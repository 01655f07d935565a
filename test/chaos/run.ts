import { parseArgs } from 'node:util';
import { machine } from '../support/machine.ts';
import { stopPostgres } from '../support/postgres.ts';
import { scenes } from './promises.ts';
import { type Size, sizes } from './sizes.ts';
import { shown, type Verdict } from './verdicts.ts';

/*
 * npm run chaos -- [--only R1,R11] [--seeds 1,2,3] [--orders 20000] [--rate 60] [--traders 500] [--intents 3000000] [--small] [--json]:
 * measures the promises of reliability on its own database, processes and upstreams, against the upstreams' ledgers.
 * Exits with 0 only when all promises hold.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string' },
    orders: { type: 'string' },
    rate: { type: 'string' },
    traders: { type: 'string' },
    intents: { type: 'string' },
    small: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const chosen = sizes[values.small ? 'small' : 'full'];
const size: Size = {
  ...chosen,
  ...(values.orders && { orders: number(values.orders) }),
  ...(values.rate && { perSecond: number(values.rate) }),
  ...(values.traders && { traders: number(values.traders) }),
  ...(values.intents && { year: { ...chosen.year, intents: number(values.intents) } }),
  ...(values.seeds && { seeds: values.seeds.split(',').map(number) }),
};
const names = values.only?.toUpperCase().split(',') ?? Object.keys(scenes);
const unknown = names.filter((name) => !(name in scenes));
if (unknown.length > 0) throw new Error(`No scene ${unknown.join(', ')}; there are ${Object.keys(scenes).join(', ')}.`);

const say = (text: string) => process.stdout.write(`${text}\n`);
const verdicts: Verdict[] = [];
for (const name of names) verdicts.push(...(await play(name)));
await stopPostgres();
if (values.json) say(JSON.stringify({ machine: machine(), size, verdicts }, null, 2));
else
  say(
    `\n${verdicts.filter(({ kept }) => kept).length} of ${verdicts.length} kept\n${Object.values(machine()).join(' · ')}`,
  );
process.exit(verdicts.every(({ kept }) => kept) ? 0 : 1);

/** Runs one scene and reports each of its promises as soon as it is known. In a scene that throws, no promise holds. */
async function play(name: string): Promise<Verdict[]> {
  const reported: Verdict[] = [];
  const report = (verdict: Verdict) => {
    reported.push(verdict);
    if (!values.json) say(shown(verdict));
  };
  const startedAt = performance.now();
  await scenes[name]?.(size, report).catch((error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    report({ promise: name, text: 'aborted', figure: error.message, bound: 'plays to its end', kept: false });
  });
  if (!values.json) say(`          ${name} took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  return reported;
}

function number(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is no whole number above 0`);
  return value;
}
