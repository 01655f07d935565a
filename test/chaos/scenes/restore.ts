import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '../../support/processes.ts';
import { auditOrders } from '../audit.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import type { Verdict } from '../verdicts.ts';
import { loadExchange } from './exchange-load.ts';
import { loadNetwork } from './network-load.ts';
import { openMoney, type RestoredMoney } from './restore-money.ts';

const run = promisify(execFile);

const DECIDED_WITHIN_MS = 300_000;
/** What is looked for rarely: its nonce was used by what the database has forgotten, and the exchange shows nothing of it. */
const LEFT = `state = 'in_doubt' and exists (
  select from queue_jobs j where j.key = 'doubt ' || intents.id and j.run_at > now() + interval '1 minute'
)`;

type Options = { orders: number; perSecond: number; settings: Record<string, string> };

/** What came of the orders of a database that was restored from a backup and recovered. */
type Restored = {
  /** Intents in the backup, and those of them that it shows as unsent. */
  intents: number;
  open: number;
  /** Effects at both venues from after the backup, and new ones after the restore. */
  missed: number;
  added: number;
  /** Reported as failed although the ledger has it; reported as done although it does not; twice in the ledger. */
  denied: number;
  lost: number;
  doubled: number;
  /** Left to operators, as unknown: what cannot be prepared any more, and what is looked for rarely. */
  undecided: number;
  /** What came of payments, transfers and payouts. */
  money: RestoredMoney;
};

/**
 * Takes a backup with orders queued, lets them and more be executed, and writes the backup back long after every deadline
 * in it. Then recovers it and lets the workers settle what is open.
 */
export async function restoreUnderLoad({ orders, perSecond, settings }: Options): Promise<Restored> {
  const money = await openMoney();
  const stage = await openStage({ workers: 1, settings: { ...settings, ...money.settings } });
  try {
    await money.begin(stage);
    const half = { perSecond, goOn: (n: number) => n < orders / 2 };
    const loads = Promise.all([loadNetwork(stage, 30, half), loadExchange(stage, 20, half)]);
    await until('orders', async () => (await count(stage, 'true')) > orders / 4 || null, 120_000);
    await killWorkers(stage);
    const queued = await count(stage, 'true');
    await until('orders in the queue', async () => (await count(stage, 'true')) > queued + orders / 4 || null, 120_000);
    await money.queue();
    const since = new Date().toISOString();
    const tables = await backUp(stage);
    const [intents, open, before] = [await count(stage, 'true'), await count(stage, UNSENT), effects(stage)];
    const movedBefore = money.count();

    await stage.startWorker();
    await Promise.all([loads, money.pay()]);
    await allSettled(stage, 120_000);
    await killWorkers(stage);
    const [after, movedAfter] = [effects(stage), money.count()];
    await restore(stage, tables);
    const env = { ...stage.settings, PATH: String(process.env.PATH) };
    await run(process.execPath, ['src/commands/recover.ts', '--since', since], { env });
    await stage.startWorker();
    const isDecided = async () => (await count(stage, `settled_at is null and not (${LEFT})`)) === 0;
    await until('every intent settled or left to operators', isDecided, DECIDED_WITHIN_MS);
    const wrong = await money.judge();
    const came = { moved: movedAfter - movedBefore, added: money.count() - movedAfter, wrong };

    const { denied, lost, doubled } = await auditOrders(stage);
    const ended = await stage.rows('select from ops.undecided_intents');
    const undecided = ended.length + (await count(stage, LEFT));
    const reported = { denied: denied + (await deniedAtExchange(stage)), lost, doubled, undecided };
    return { intents, open, missed: after - before, added: effects(stage) - after, ...reported, money: came };
  } finally {
    await money.close();
    await stage.close();
  }
}

const UNSENT = `state in ('queued', 'running') and sending_at is null`;

const count = async ({ rows }: Stage, which: string): Promise<number> =>
  Number((await rows<{ n: string }>(`select count(*) as n from intents where ${which}`))[0]?.n);

/** Orders and settings in both ledgers. A no-op that uses up a nonce, and the cancellation of outdated exits, are none. */
const effects = ({ upstream, exchange }: Stage) =>
  upstream.ledger.entries().length +
  exchange.ledger.entries().filter(({ kind }) => kind !== 'action' && kind !== 'cancelled').length;

/** Orders of the exchange that are reported as failed although the ledger has them. */
async function deniedAtExchange({ rows, exchange }: Stage): Promise<number> {
  const keys = new Set(exchange.ledger.entries().map(({ key }) => key.replace('0x', '').replaceAll('-', '')));
  const failed = await rows<{ id: string }>(
    `select id from intents where kind = 'exchange/place' and state in ('failed', 'expired')`,
  );
  return failed.filter(({ id }) => keys.has(id.replaceAll('-', ''))).length;
}

async function killWorkers({ workers }: Stage): Promise<void> {
  const running = [...workers];
  for (const { kill } of running) kill('SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
}

/** A table, and its columns without those that are computed. */
type Table = { name: string; columns: string };

/** Copies every table of the service as one snapshot. Returns them. */
async function backUp({ rows }: Stage): Promise<Table[]> {
  const tables = await rows<Table>(
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not in ('migrations', 'definitions')
     group by c.relname`,
  );
  const copies = tables.map(({ name }) => `create table backup.${name} as table ${name};`);
  await rows('create schema backup');
  await rows(`begin isolation level repeatable read; ${copies.join(' ')} commit`);
  return tables;
}

/** Writes the backup back, with every deadline in it past and a job for each open intent. */
async function restore({ rows }: Stage, tables: Table[]): Promise<void> {
  const wipes = tables.map(({ name }) => `delete from ${name};`);
  const copies = tables.map(
    ({ name, columns }) =>
      `insert into ${name} (${columns}) overriding system value select ${columns} from backup.${name};`,
  );
  await rows(`begin; set local session_replication_role = replica; ${[...wipes, ...copies].join(' ')} commit`);
  await rows(`delete from queue_jobs`);
  await rows(`update intents set deadline_at = now() where settled_at is null`);
  await rows(
    `select graphile_worker.add_jobs(array_agg(job_for(kind, id, is_exit, null))) from intents where settled_at is null`,
  );
}

/** Whether every order of the backup is reported as it is, and nothing was done twice. */
export function restoreVerdict(seen: Restored, least: number): Verdict {
  const { intents, open, missed, added, denied, lost, doubled, undecided, money } = seen;
  const wrong =
    money.wrong.length > 0 ? `${money.wrong.length} wrong (${money.wrong.slice(0, 5).join(', ')})` : '0 wrong';
  return {
    promise: 'R15',
    text: 'restored from a backup behind the world, and recovered',
    figure: `${intents} intents, ${open} unsent in the backup; ${missed} effects missed: ${added} added, ${denied} denied, ${lost} lost, ${doubled} doubled, ${undecided} undecided; ${money.moved} movements of money missed: ${money.added} added, ${wrong}`,
    bound: `0 added, denied, lost or doubled over ${least} unsent`,
    kept:
      open >= least && [added, denied, lost, doubled, money.added, money.wrong.length].every((count) => count === 0),
  };
}
