import { availableParallelism } from 'node:os';
import { type Arena, openArena } from './arena.ts';
import { type Extent, type Figures, type Row, ratioOf, reported } from './figures.ts';
import { type Line, openLine } from './line.ts';
import { interleaved, pairsOf } from './noise.ts';
import { crowd } from './p1.ts';
import { childrenCpuMs, cpuMs, parentOf, total } from './usage.ts';

const COUNTS = [1, 2, 4]; // of web processes, and as many workers
const CALLERS = 32; // at each web process, each with its next order after its last
const TRADERS = 2_000;
const MINER_THREADS = '200'; // more than are used at once
const WAIT_S = 20;
const SAMPLE_MS = 20;
/** From this share of its core on a process is what limits, and of all cores the machine. */
const FULL_SHARE = 0.85;

type Size = { rounds: number; roundMs: number };
const FULL: Size = { rounds: 5, roundMs: 5_000 };
const SMALL: Size = { rounds: 1, roundMs: 1_000 };

/** Cores used, each as a sum over the processes of a kind, and what active connections of the database waited for (shares). */
type Found = { perSecond: number; cores: Record<Kind, number>; waits: Record<string, number> };
type Kind = 'web' | 'worker' | 'database' | 'client and venue';

type Site = { arena: Arena; count: number; webPids: number[]; workerPids: number[]; place(n: number): Promise<void> };

/**
 * CORES: orders with their outcome per second by 1, 2 and 4 web processes and as many workers, where the machine has so many
 * cores, and what limits them.
 */
export async function measureCores({ small }: Extent): Promise<Figures> {
  const { rounds, roundMs } = small ? SMALL : FULL;
  const counts = COUNTS.filter((count) => count <= availableParallelism());
  const sites: Site[] = [];
  try {
    for (const count of counts) sites.push(await openSite(count));
    const sides = Object.fromEntries(sites.map((site) => [String(site.count), () => measure(site, roundMs)]));
    await interleaved(1, sides); // warm-up
    return figures(counts, await interleaved(rounds, sides));
  } finally {
    for (const { arena } of sites) await arena.close();
  }
}

async function openSite(count: number): Promise<Site> {
  const arena = await openArena();
  const settings = { NETVENUE_MINER_THREADS: MINER_THREADS, LOG_LEVEL: 'info' };
  const lines: Line[] = [];
  for (let n = 0; n < count; n += 1) lines.push(openLine(await arena.serve('src/web.ts', settings), CALLERS));
  const webPids = arena.pids();
  for (let n = 0; n < count; n += 1) await arena.startWorker(settings).waitForLine(/worker is running/);
  const { key, ids } = await arena.traders(TRADERS);
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  return {
    arena,
    count,
    webPids,
    workerPids: arena.pids().slice(count),
    async place(n) {
      const headers = {
        Authorization: `Bearer ${key}`,
        'Trader-ID': String(ids[n % ids.length]),
        Prefer: `wait=${WAIT_S}`,
      };
      const line = lines[n % count] as Line; // as: one for each process
      const { status, text } = await line.ask({ method: 'POST', path: '/v1/orders/netvenue', headers, body });
      if (status !== 200) throw new Error(`${status} ${text}`);
    },
  };
}

async function measure({ arena, count, webPids, workerPids, place }: Site, roundMs: number): Promise<Found> {
  const [own] = await arena.query<{ pid: number }>('select pg_backend_pid() as pid');
  const server = await parentOf(own?.pid ?? 0);
  const cpu = async (): Promise<Record<Kind, number>> => ({
    web: await total(webPids, cpuMs),
    worker: await total(workerPids, cpuMs),
    database: await childrenCpuMs(server),
    'client and venue': await cpuMs(process.pid),
  });
  const waits: Record<string, number> = {};
  const sampling = setInterval(async () => {
    for (const { wait } of await arena.query<{ wait: string }>(WAITS)) waits[wait] = (waits[wait] ?? 0) + 1;
  }, SAMPLE_MS);
  const before = await cpu();
  const startedAt = performance.now();
  const { perSecond } = await crowd({ place }, roundMs, CALLERS * count);
  const ms = performance.now() - startedAt;
  clearInterval(sampling);
  const after = await cpu();
  const kinds = Object.keys(after) as Kind[]; // as: its own keys
  const cores = Object.fromEntries(kinds.map((kind) => [kind, (after[kind] - before[kind]) / ms]));
  return { perSecond, cores: cores as Found['cores'], waits: sharesOf(waits) }; // as: of the same keys
}

const WAITS = `
  select coalesce(a.wait_event_type || ' ' || a.wait_event, 'CPU') as wait
  from pg_stat_activity a
  where a.datname = current_database() and a.state = 'active' and a.pid <> pg_backend_pid()`;

function sharesOf(counts: Record<string, number>): Record<string, number> {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
  return Object.fromEntries(Object.entries(counts).map(([name, each]) => [name, each / all]));
}

function figures(counts: number[], rounds: Record<string, Found>[]): Figures {
  const skipped = COUNTS.filter((count) => !counts.includes(count));
  return {
    name: 'CORES',
    title: `orders with their outcome, by as many web processes and workers${skipped.length > 0 ? `; not measured, with ${availableParallelism()} cores: ${skipped.join(', ')}` : ''}`,
    rows: counts.flatMap((count) => rowsOf(count, rounds)),
  };
}

function rowsOf(count: number, rounds: Record<string, Found>[]): Row[] {
  const found = rounds.map((round) => round[String(count)] as Found); // as: every count has a side
  const rate = ratioOf(pairsOf(rounds, [String(count), '1'], ({ perSecond }) => perSecond));
  const mean = (of: (each: Found) => number) => found.reduce((sum, each) => sum + of(each), 0) / found.length;
  const kinds = Object.keys(found[0]?.cores ?? {}) as Kind[]; // as: its own keys
  const cores = Object.fromEntries(kinds.map((kind) => [kind, mean((each) => each.cores[kind])])) as Found['cores']; // as: of the same keys
  const waits = [...new Set(found.flatMap((each) => Object.keys(each.waits)))]
    .map((wait) => [wait, mean((each) => each.waits[wait] ?? 0)] as const)
    .toSorted(([, a], [, b]) => b - a);
  return [
    reported({ what: `${count} and ${count}, beside one of each`, unit: '/s', ...rate }),
    ...kinds.map((kind) => reported({ what: `  ${kind}`, unit: 'cores', figure: cores[kind] })),
    reported({ what: `  limited by ${limitOf(count, cores, waits)}`, unit: 'cores', figure: sum(cores) }),
  ];
}

/** What stands in the way of more: the cores of the machine, one kind of process, else what the database's connections wait for. */
function limitOf(count: number, cores: Found['cores'], waits: (readonly [string, number])[]): string {
  const each = { web: cores.web / count, worker: cores.worker / count, 'client and venue': cores['client and venue'] };
  const fullest = Object.entries(each).toSorted(([, a], [, b]) => b - a)[0];
  if (fullest && fullest[1] >= FULL_SHARE) return `one core of ${fullest[0]}`;
  if (sum(cores) >= FULL_SHARE * availableParallelism()) return `the ${availableParallelism()} cores of this machine`;
  const [wait = 'nothing', share = 0] = waits.find(([name]) => name !== 'CPU') ?? [];
  return `the database: ${Math.round(share * 100)} % of its active connections wait for ${wait}`;
}

const sum = (of: Record<string, number>): number => Object.values(of).reduce((all, each) => all + each, 0);
