import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Caller, caller } from '../../support/caller.ts';
import { type Running, STARTED_MS, startProgram, until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { atPace, underWay } from '../load.ts';
import { allSettled, openStage } from '../stage.ts';
import type { Verdict } from '../verdicts.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COPIED = ['src', 'sql', 'workers', 'package.json', 'Procfile'];
/** Names that the next version has changed: one that only the database uses, and one that the code calls. */
const RENAMED = { may_run_alongside: 'may_run_beside', note_reached: 'note_response' };
const SETTLED_WITHIN_MS = 120_000;

type Options = { perSecond: number; stayMs: number; settings: Record<string, string> };
type Web = Running & { url: string };

/** Responses to the orders by status, what became of them, and whether the release of the next version was accepted. */
export type Upgraded = { statuses: Record<string, number>; released: number | null; kept: string; audit: Audit };

/** Orders while every process is replaced by the next version, and then by the version before again, one at a time. */
export async function upgradeUnderLoad({ perSecond, stayMs, settings }: Options): Promise<Upgraded> {
  const next = await nextVersion();
  const stage = await openStage({ webs: 2, workers: 2, settings });
  const own: Running[] = [];
  try {
    const webs = new Set<Web>(stage.webs);
    const workers = new Set<Running>(stage.workers);
    const traders = await stage.traders(20);
    const statuses: Record<string, number> = {};
    const place = async (n: number) => {
      const status = await placeAtSome([...webs], traders[n % traders.length] as Caller, n);
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    const start = async (root: string, program: 'web' | 'worker') => {
      const process = startProgram(program, { ...stage.settings, LOG_LEVEL: 'info' }, root);
      own.push(process);
      return process;
    };
    const replaceAll = async (root: string) => {
      for (const old of [...workers]) {
        const worker = await start(root, 'worker');
        await worker.waitForLine(/worker is running/, STARTED_MS);
        workers.add(worker);
        workers.delete(old);
        await stopped(old);
      }
      for (const old of [...webs]) {
        const process = await start(root, 'web');
        const { port } = JSON.parse(await process.waitForLine(/web is listening/, STARTED_MS)) as { port: number };
        const web = { ...process, url: `http://127.0.0.1:${port}` };
        await until('the new web to be ready', async () => (await isReady(web.url)) || null, STARTED_MS);
        webs.add(web);
        webs.delete(old); // as a balancer does at the signal
        await stopped(old);
      }
    };
    const play = async () => {
      await sleep(stayMs);
      const release = startProgram('release', { ...stage.settings, LOG_LEVEL: 'info' }, next);
      const { code } = await release.exited;
      await sleep(stayMs);
      await replaceAll(next);
      await sleep(stayMs);
      await replaceAll(ROOT);
      await sleep(stayMs);
      const said = release.lines.find((line) => line.includes('kept')) ?? release.lines.at(-1) ?? '{}';
      return { code, kept: String((JSON.parse(said) as { msg?: string }).msg) };
    };
    const playing = play();
    await atPace({ perSecond, goOn: underWay(playing) }, place);
    const { code, kept } = await playing;
    await allSettled(stage, SETTLED_WITHIN_MS);
    return { statuses, released: code, kept, audit: await auditOrders(stage) };
  } finally {
    for (const { kill } of own) kill('SIGKILL');
    await stage.close();
    await rm(next, { recursive: true });
  }
}

/** Places an order at a web process that listens: a refused connection goes to another one, as at any balancer. */
async function placeAtSome(webs: Web[], trader: Caller, n: number): Promise<string> {
  const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 };
  const header = { 'Trader-ID': String(trader.headers['Trader-ID']) };
  for (const [attempt] of webs.entries()) {
    const web = webs[(n + attempt) % webs.length] as Web;
    const reply = await caller(web.url, trader.key, header)
      .post('/v1/orders/netvenue', order)
      .catch((error: Error) => error);
    if (!(reply instanceof Error)) return String(reply.status);
    if (!/ECONNREFUSED/.test(`${reply.message} ${String(reply.cause)}`)) return reply.message;
  }
  return 'refused';
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function stopped(process: Running): Promise<void> {
  process.kill('SIGTERM');
  await process.exited;
}

/** A copy of this version with other names for some functions, a column more, and a number of its own. */
async function nextVersion(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tps-test-next-'));
  const isOwn = (file: string) => basename(file) !== 'node_modules';
  await Promise.all(COPIED.map((name) => cp(join(ROOT, name), join(root, name), { recursive: true, filter: isOwn })));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const name of await readdir(root, { recursive: true })) {
    if (name.startsWith('node_modules') || !/\.(ts|sql|json)$/.test(name) || /sql\/\d/.test(name)) continue;
    const text = await readFile(join(root, name), 'utf8');
    const renamed = withNewNames(text);
    if (renamed !== text) await writeFile(join(root, name), renamed);
    const file = withNewNames(basename(name));
    if (file !== basename(name)) await rename(join(root, name), join(root, name, '..', file));
  }
  await writeFile(join(root, 'sql/9000_next.sql'), 'alter table partners add column next_note text;\n');
  return root;
}

const withNewNames = (text: string): string =>
  Object.entries(RENAMED).reduce((all, [old, name]) => all.replace(new RegExp(`\\b${old}\\b`, 'g'), name), text);

/** Whether every order was answered and done once, whatever ran. */
export function upgradeVerdict({ statuses, released, kept, audit }: Upgraded): Verdict {
  const { orders, lost, doubled, denied, strange } = audit;
  const others = Object.entries(statuses).filter(([status]) => status !== '200' && status !== '202');
  const figure =
    others.map(([status, count]) => `${count} × ${status}`).join(', ') || 'no other response than 200 and 202';
  return {
    promise: 'UPGRADE',
    text: 'every process replaced by a version with renamed functions, and back, under load',
    figure: `${figure} for ${orders} orders; ${lost} lost, ${doubled} doubled; ${kept}`,
    bound: 'every order answered, none lost, none doubled',
    kept: released === 0 && others.length === 0 && orders > 0 && lost + doubled + denied + strange === 0,
  };
}
