import { readdir, readFile } from 'node:fs/promises';

const MS_PER_TICK = 10;
const PARENT = 1;
const TIMES = 11; // own user and system time, then those of the children that have ended
const MB_PER_KB = 1 / 1024;

/** The CPU time of a process and its threads so far: on a busy machine it says more than the time on the clock. */
export async function cpuMs(pid: number): Promise<number> {
  const [user = 0, system = 0] = (await statOf(pid)).slice(TIMES, TIMES + 2).map(Number);
  return (user + system) * MS_PER_TICK;
}

/** The CPU time so far of the children of a process, those that have ended too. */
export async function childrenCpuMs(parent: number): Promise<number> {
  const living = await total(await childrenOf(parent), (pid) => cpuMs(pid).catch(() => 0)); // one may just have ended
  const ended = (await statOf(parent)).slice(TIMES + 2, TIMES + 4).map(Number);
  return living + ended.reduce((sum, ticks) => sum + ticks, 0) * MS_PER_TICK;
}

/** What the scheduler did for processes: milliseconds of their threads on a core and in the line for one, and how often they got one. */
export type Scheduled = { ranMs: number; waitedMs: number; turns: number };

/** What it did so far for these processes, by proc_pid_schedstat(5), that of threads which have ended left out. */
export async function scheduledFor(pids: number[]): Promise<Scheduled> {
  const threads = (await Promise.all(pids.map(threadsOf))).flat();
  const sum = (field: number) => threads.reduce((all, fields) => all + (fields[field] ?? 0), 0);
  return { ranMs: sum(0) / 1e6, waitedMs: sum(1) / 1e6, turns: sum(2) };
}

async function threadsOf(pid: number): Promise<number[][]> {
  const ids = await readdir(`/proc/${pid}/task`).catch(() => []); // it has just ended
  const texts = ids.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8').catch(() => ''));
  return (await Promise.all(texts)).map((text) => text.split(' ').map(Number));
}

/** The living children of a process. */
export async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(pids.map((pid) => parentOf(pid).catch(() => 0)));
  return pids.filter((_, n) => parents[n] === parent);
}

/** The parent of a process. */
export const parentOf = async (pid: number): Promise<number> => Number((await statOf(pid))[PARENT]);

/** The fields of proc_pid_stat(5) from the one after the name on: the state. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The resident memory of a process, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * MB_PER_KB;
}

/** The sum over processes. */
export const total = async (pids: number[], of: (pid: number) => Promise<number>): Promise<number> =>
  (await Promise.all(pids.map(of))).reduce((sum, each) => sum + each, 0);
