import { parseArgs } from 'node:util';
import { stopPostgres } from '../support/postgres.ts';
import { type Extent, type Figures, machine, shown } from './figures.ts';
import { measureP1 } from './p1.ts';
import { measureP2 } from './p2.ts';
import { measureP3 } from './p3.ts';
import { measureP4 } from './p4.ts';
import { measureP5 } from './p5.ts';
import { measureP6 } from './p6.ts';

/*
 * npm run bench -- [--json] [--only P1,P3] [--small]: measures the promises of speed, each beside its reference in the same run.
 * Ends 0 when it could measure; a mark that is missed is told, not hidden.
 */
const measurements: Record<string, (extent: Extent) => Promise<Figures>> = {
  P1: measureP1,
  P2: measureP2,
  P3: measureP3,
  P4: measureP4,
  P5: measureP5,
  P6: measureP6,
};

const { values: asked } = parseArgs({
  options: { json: { type: 'boolean' }, small: { type: 'boolean' }, only: { type: 'string' } },
});
const wanted = asked.only?.toUpperCase().split(',') ?? Object.keys(measurements);
const unknown = wanted.filter((name) => !(name in measurements));
if (unknown.length > 0) throw new Error(`No measurement ${unknown}; there are ${Object.keys(measurements)}.`);

const figures: Figures[] = [];
for (const name of wanted) {
  const found = await measurements[name]?.({ small: asked.small ?? false });
  if (!found) continue;
  figures.push(found);
  if (!asked.json) process.stdout.write(shown(found));
}
process.stdout.write(
  asked.json
    ? `${JSON.stringify({ machine: machine(), figures }, null, 2)}\n`
    : `\n${Object.values(machine()).join(' · ')}\n`,
);
await stopPostgres();
process.exit(0);
