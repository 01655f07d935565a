import { readFile } from 'node:fs/promises';

const MS_PER_TICK = 10;
const MB_PER_KB = 1 / 1024;

/** The CPU time of a process and its threads so far: on a busy machine it says more than the time on the clock. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * MS_PER_TICK;
}

/** The resident memory of a process, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * MB_PER_KB;
}

/** The sum over processes. */
export const total = async (pids: number[], of: (pid: number) => Promise<number>): Promise<number> =>
  (await Promise.all(pids.map(of))).reduce((sum, each) => sum + each, 0);
