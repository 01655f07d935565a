import { parseArgs } from 'node:util';
import { machine } from '../../support/machine.ts';
import { stopPostgres } from '../../support/postgres.ts';
import { measureAlike } from './alike.ts';
import { measureCold } from './cold.ts';
import { measureCores } from './cores.ts';
import { type Extent, type Figures, shown } from './figures.ts';
import { measureFlood } from './flood.ts';
import { measureHanging } from './hanging.ts';
import { measureLanes } from './lanes.ts';
import { measureMemory } from './memory.ts';
import { watchMachine } from './noise.ts';
import { measureP1 } from './p1.ts';
import { measureP2 } from './p2.ts';
import { measureP3 } from './p3.ts';
import { measureP4 } from './p4.ts';
import { measureP5 } from './p5.ts';
import { measureP6 } from './p6.ts';
import { measureP7 } from './p7.ts';
import { measureP8 } from './p8.ts';
import { measureP9 } from './p9.ts';
import { startProfiling } from './profile.ts';
import { measureQueue } from './queue.ts';
import { measureStart } from './start.ts';
import { measureTracing } from './tracing.ts';
import { measureWal } from './wal.ts';

/*
 * npm run bench -- [--json] [--only P1,P3] [--small] [--profile]: measures the promises of speed, each next to its
 * reference in the same run, and other timings. A missed promise is reported. Exits with 1 when a bound is broken that
 * holds on every machine; a small run only shows that it can measure, and exits with 0. --profile also prints what the
 * processes and the database of P1, P3 and P4, or of those named by --only, spent their time on.
 */
const measurements: Record<string, (extent: Extent) => Promise<Figures>> = {
  P1: measureP1,
  P2: measureP2,
  P3: measureP3,
  P4: measureP4,
  P5: measureP5,
  P6: measureP6,
  P7: measureP7,
  P8: measureP8,
  P9: measureP9,
  ALIKE: measureAlike,
  COLD: measureCold,
  CORES: measureCores,
  FLOOD: measureFlood,
  HANGING: measureHanging,
  LANES: measureLanes,
  MEMORY: measureMemory,
  QUEUE: measureQueue,
  START: measureStart,
  TRACING: measureTracing,
  WAL: measureWal,
};

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean' },
    small: { type: 'boolean' },
    profile: { type: 'boolean' },
    only: { type: 'string' },
  },
});
const PROFILED = ['P1', 'P3', 'P4'];
const wanted = flags.only?.toUpperCase().split(',') ?? (flags.profile ? PROFILED : Object.keys(measurements));
const unknown = wanted.filter((name) => !(name in measurements));
if (unknown.length > 0) throw new Error(`No measurement ${unknown}; there are ${Object.keys(measurements)}.`);

const profiles = flags.profile ? await startProfiling() : null;
const figures: Figures[] = [];
for (const name of wanted) {
  const machineDid = await watchMachine();
  const measured = await measurements[name]?.({ small: flags.small ?? false });
  if (!measured) continue;
  const found = { ...measured, noise: await machineDid() };
  figures.push(found);
  if (!flags.json) process.stdout.write(shown(found));
}
process.stdout.write(
  flags.json
    ? `${JSON.stringify({ machine: machine(), figures }, null, 2)}\n`
    : `\n${Object.values(machine()).join(' · ')}\n`,
);
if (profiles && !flags.json) process.stdout.write(`profiles and flame graphs: ${profiles}\n`);
await stopPostgres();
process.exit(!flags.small && figures.some(({ rows }) => rows.some(({ isBroken }) => isBroken)) ? 1 : 0);
