import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What a process needs of its surroundings; everything else comes from the settings it is given. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'NODE_V8_COVERAGE'];

/** How long a process may take to start on a machine that is busy with something else. */
export const STARTED_MS = 60_000;

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A process of the service, its output held in memory. */
export type Running = {
  pid: number;
  /** Lines of standard output and standard error, as they came. */
  lines: string[];
  exited: Promise<Exit>;
  /** Signals this process, or with `group` everyone in its group as a terminal does. */
  kill(signal: NodeJS.Signals, group?: 'group'): void;
  /** The first line that matches, waiting for it. Refuses, with what was said, when it does not come or the process ends. */
  says(pattern: RegExp, withinMs?: number): Promise<string>;
};

export type Program = 'web' | 'worker' | 'release' | 'start';

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1)); // what we started ends with us

/** Starts `src/<program>.ts` with these settings and none of ours. In a group of its own, so that it can be stopped like one. */
export const startProgram = (program: Program, settings: Record<string, string>): Running =>
  startScript(`src/${program}.ts`, settings);

/** Starts any file of the project the same way, with arguments. */
export function startScript(file: string, settings: Record<string, string>, args: string[] = []): Running {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: ROOT,
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
    says: (pattern, withinMs = 20_000) => lineOf({ lines, child }, pattern, withinMs),
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

/** Starts the HTTP edge; `url` is where it listens. */
export async function startWebProcess(settings: Record<string, string>): Promise<Running & { url: string }> {
  const web = startProgram('web', { ...settings, LOG_LEVEL: settings.LOG_LEVEL ?? 'info' });
  const { port } = JSON.parse(await web.says(/web is listening/, STARTED_MS)) as { port: number };
  return { ...web, url: `http://127.0.0.1:${port}` };
}

/** Asks again and again until the answer is something else than false, null or undefined. Refuses after `withinMs`. */
export async function until<T>(what: string, ask: () => Promise<T> | T, withinMs = 20_000): Promise<NonNullable<T>> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20)) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
  }
  throw new Error(`Not within ${withinMs} ms: ${what}`);
}

const surroundings = () =>
  Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));

async function lineOf({ lines, child }: { lines: string[]; child: ChildProcess }, pattern: RegExp, withinMs: number) {
  const find = () => lines.find((line) => pattern.test(line));
  const ended = () => (alive.has(child) ? null : 'ended');
  const line = await until(String(pattern), () => find() ?? ended(), withinMs).catch(() => null);
  const said = find() ?? (line === 'ended' ? undefined : line);
  if (said) return said;
  throw new Error(
    `${alive.has(child) ? 'It' : 'It ended and'} did not say ${pattern}:\n${lines.slice(-20).join('\n')}`,
  );
}
