import { parseArgs } from 'node:util';
import { stopPostgres } from '../support/postgres.ts';
import { measureAlike } from './alike.ts';
import { measureCold } from './cold.ts';
import { type Extent, type Figures, machine, shown } from './figures.ts';
import { measureFlood } from './flood.ts';
import { measureHanging } from './hanging.ts';
import { measureLanes } from './lanes.ts';
import { measureP1 } from './p1.ts';
import { measureP2 } from './p2.ts';
import { measureP3 } from './p3.ts';
import { measureP4 } from './p4.ts';
import { measureP5 } from './p5.ts';
import { measureP6 } from './p6.ts';
import { measureQueue } from './queue.ts';
import { measureStart } from './start.ts';

/*
 * npm run bench -- [--json] [--only P1,P3] [--small]: measures the promises of speed, each next to its reference in the
 * same run, and other timings. A missed promise is reported. Exits with 1 when a bound is broken that holds on every
 * machine; a small run only shows that it can measure, and exits with 0.
 */
const measurements: Record<string, (extent: Extent) => Promise<Figures>> = {
  P1: measureP1,
  P2: measureP2,
  P3: measureP3,
  P4: measureP4,
  P5: measureP5,
  P6: measureP6,
  ALIKE: measureAlike,
  COLD: measureCold,
  FLOOD: measureFlood,
  HANGING: measureHanging,
  LANES: measureLanes,
  QUEUE: measureQueue,
  START: measureStart,
};

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean' }, small: { type: 'boolean' }, only: { type: 'string' } },
});
const wanted = flags.only?.toUpperCase().split(',') ?? Object.keys(measurements);
const unknown = wanted.filter((name) => !(name in measurements));
if (unknown.length > 0) throw new Error(`No measurement ${unknown}; there are ${Object.keys(measurements)}.`);

const figures: Figures[] = [];
for (const name of wanted) {
  const found = await measurements[name]?.({ small: flags.small ?? false });
  if (!found) continue;
  figures.push(found);
  if (!flags.json) process.stdout.write(shown(found));
}
process.stdout.write(
  flags.json
    ? `${JSON.stringify({ machine: machine(), figures }, null, 2)}\n`
    : `\n${Object.values(machine()).join(' · ')}\n`,
);
await stopPostgres();
process.exit(!flags.small && figures.some(({ rows }) => rows.some(({ isBroken }) => isBroken)) ? 1 : 0);
