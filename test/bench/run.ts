import { type Figures, machine, shown } from './figures.ts';
import { measureP1 } from './p1.ts';
import { measureP2 } from './p2.ts';

/*
 * npm run bench -- [--json] [--only P2]: measures the promises of speed, each beside its reference in the same run.
 * Ends 0 when it could measure; a promise that is not kept is told, not hidden.
 */
const measurements: Record<string, () => Promise<Figures>> = { P1: measureP1, P2: measureP2 };

const args = process.argv.slice(2);
const json = args.includes('--json');
const only = args.includes('--only') ? args[args.indexOf('--only') + 1]?.toUpperCase() : undefined;
const chosen = Object.entries(measurements).filter(([name]) => only === undefined || name === only);
if (chosen.length === 0) throw new Error(`No measurement ${only}; there are ${Object.keys(measurements).join(', ')}.`);

const figures: Figures[] = [];
for (const [, measure] of chosen) {
  const found = await measure();
  figures.push(found);
  if (!json) process.stdout.write(shown(found));
}
process.stdout.write(
  json
    ? `${JSON.stringify({ machine: machine(), figures }, null, 2)}\n`
    : `\n${Object.values(machine()).join(' · ')}\n`,
);
