import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Embedded, startEmbedded } from '../../../src/db/embedded.ts';
import type { Running } from '../../support/processes.ts';
import { flameGraph } from './flame.ts';
import { type CpuProfile, selfTimes } from './self-times.ts';

/*
 * With --profile every process of the bench that is stopped by SIGTERM leaves a CPU profile, and the database counts its
 * statements. Both cost time: the figures of such a run are not comparable with others.
 */
const ENDED_WITHIN_MS = 30_000;
const FUNCTIONS = 25;
const STATEMENTS = 15;

let dir: string | undefined;

/** Turns profiling on for every arena opened from now on. Returns the directory of the profiles. */
export async function startProfiling(): Promise<string> {
  dir ??= await mkdtemp(path.join(tmpdir(), 'tps-profile-'));
  return dir;
}

/** The settings of a process, with a CPU profile at its end if profiling is on. */
export const profiled = (settings: Record<string, string>): Record<string, string> =>
  dir ? { ...settings, NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir}` } : settings;

/** Starts a durable server; with profiling on one that counts statements, if its programs come with the extension. */
export async function startServer(dataDir: string): Promise<Embedded> {
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  if (dir) return startEmbedded({ dataDir, settings }).catch(() => startEmbedded({ dataDir }));
  return startEmbedded({ dataDir });
}

/** Ends processes: at once, or with profiling on by SIGTERM, upon which they write their profile. */
export async function endAll(running: Running[]): Promise<void> {
  const exited = Promise.all(running.map((each) => each.exited));
  if (dir) {
    for (const { kill } of running) kill('SIGTERM');
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, ENDED_WITHIN_MS).unref())]);
  }
  for (const { kill } of running) kill('SIGKILL');
  await exited;
}

type Query = (text: string) => Promise<Record<string, unknown>[]>;

/** Prints what the processes and the database of an arena spent their time on, if profiling is on. */
export async function report(query: Query): Promise<void> {
  if (!dir) return;
  for (const file of (await readdir(dir)).filter((name) => name.endsWith('.cpuprofile'))) {
    const named = path.join(dir, file);
    const profile = JSON.parse(await readFile(named, 'utf8')) as CpuProfile;
    const graph = named.replace('.cpuprofile', '.svg');
    if ((await readdir(dir)).includes(path.basename(graph))) continue; // of an earlier arena
    await writeFile(graph, flameGraph(profile));
    process.stdout.write(`\n${graph}\n${table(selfTimes(profile, FUNCTIONS))}\n`);
  }
  process.stdout.write(`\n${table(await statements(query))}\n`);
}

async function statements(query: Query): Promise<string[][]> {
  const counted = await query('create extension if not exists pg_stat_statements').then(
    () => query(COUNTED),
    () => null,
  );
  if (!counted) return [['', 'pg_stat_statements is not there']];
  return counted.map(({ ms, calls, each_ms, wal, query: text }) => [
    `${ms} ms`,
    `${calls} ×`,
    `${each_ms} ms`,
    `${wal} kB`,
    String(text).replace(/\s+/g, ' ').slice(0, 110),
  ]);
}

/** Statements of the database so far, by their total time; of functions, the statement that calls them. */
const COUNTED = `
  select round(total_exec_time) as ms, calls, round(mean_exec_time::numeric, 2) as each_ms, round(wal_bytes / 1024) as wal, query
  from pg_stat_statements
  where query not like '%generate_series%'
  order by total_exec_time desc
  limit ${STATEMENTS}`;

function table(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, n) => Math.max(...lines.map((line) => line[n]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, n) => (n < line.length - 1 ? cell.padStart(widths[n] ?? 0) : cell)).join('  '))
    .join('\n');
}
