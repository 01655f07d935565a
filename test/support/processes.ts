import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** This version's checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The environment variables that a process needs; everything else comes from its given settings. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'];

/** The time limit for the start of a process on a busy machine. */
export const STARTED_MS = 60_000;

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A process of the service, with its output in memory. */
export type Running = {
  pid: number;
  /** Lines of standard output and standard error, in order of arrival. */
  lines: string[];
  exited: Promise<Exit>;
  /** Signals this process, or with `group` everyone in its group as a terminal does. */
  kill(signal: NodeJS.Signals, group?: 'group'): void;
  /**
   * Waits for the first line that matches and returns it. Rejects, with the output, on a timeout or when the process
   * ends.
   */
  waitForLine(pattern: RegExp, withinMs?: number): Promise<string>;
};

export type Program = 'web' | 'worker' | 'release' | 'start';

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
// child processes end with this one
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/**
 * Starts `src/<program>.ts` with only these settings, in its own process group, so that it can be stopped like one; of another version, if the
 * folder of its checkout is given.
 */
export const startProgram = (program: Program, settings: Record<string, string>, root = ROOT): Running =>
  startScript(`src/${program}.ts`, settings, [], root);

/** The options of node with which the Procfile of a checkout starts a file. */
const optionsOf = (file: string, root: string) =>
  readFileSync(join(root, 'Procfile'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.endsWith(` ${file}`) ? line.split(' ') : []))
    .filter((word) => word.startsWith('--'));

/** Starts any file of a checkout the same way, with arguments, and with the options of node that the Procfile gives it. */
export function startScript(
  file: string,
  settings: Record<string, string>,
  args: string[] = [],
  root: string = ROOT,
): Running {
  const child = spawn(process.execPath, [...optionsOf(file, root), file, ...args], {
    cwd: root,
    env: { ...surroundings(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  alive.add(child);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    alive.delete(child);
    return { code, signal };
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    lines,
    exited,
    kill: (signal, group) => {
      if (alive.has(child)) process.kill(group ? -pid : pid, signal);
    },
    waitForLine: (pattern, withinMs = 45_000) => lineOf({ lines, child }, pattern, withinMs),
  };
}

/** Runs a program to its end. */
export async function runProgram(
  program: Program,
  settings: Record<string, string>,
): Promise<Exit & { lines: string[] }> {
  const { exited, lines } = startProgram(program, settings);
  return { ...(await exited), lines };
}

/** Starts the HTTP edge; `url` is its address. */
export async function startWebProcess(
  settings: Record<string, string>,
  root?: string,
): Promise<Running & { url: string }> {
  const web = startProgram('web', { ...settings, LOG_LEVEL: settings.LOG_LEVEL ?? 'info' }, root);
  const { port } = JSON.parse(await web.waitForLine(/web is listening/, STARTED_MS)) as { port: number };
  return { ...web, url: `http://127.0.0.1:${port}` };
}

/** Kills a process, and prints the faults in its log that nobody foresaw: a scene that aborts is explained by them. */
export function endReporting({ lines, kill }: Running): void {
  for (const bug of lines.filter((line) => line.includes('"msg":"bug"'))) process.stderr.write(`${bug}\n`);
  kill('SIGKILL');
}

const FIRST_PAUSE_MS = 15;
const LONGEST_PAUSE_MS = 100;

/**
 * Repeats a call until its result is not false, null or undefined, less often the longer that takes. Rejects after
 * `withinMs`.
 */
export async function until<T>(what: string, ask: () => Promise<T> | T, withinMs = 40_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; Date.now() < deadline; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const response = await ask();
    if (response !== false && response !== null && response !== undefined) return response;
    await sleep(pauseMs);
  }
  throw new Error(`Not within ${withinMs} ms: ${what}`);
}

const surroundings = () =>
  Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));

async function lineOf({ lines, child }: { lines: string[]; child: ChildProcess }, pattern: RegExp, withinMs: number) {
  const find = () => lines.find((line) => pattern.test(line));
  const ended = () => (alive.has(child) ? null : 'ended');
  const line = await until(String(pattern), () => find() ?? ended(), withinMs).catch(() => null);
  const data = find() ?? (line === 'ended' ? undefined : line);
  if (data) return data;
  throw new Error(
    `${alive.has(child) ? 'It' : 'It ended and'} did not write ${pattern}:\n${lines.slice(-20).join('\n')}`,
  );
}
