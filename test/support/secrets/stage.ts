import { randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { saveTier } from '../../../src/capabilities/payments/commands.ts';
import { type Db, openPool } from '../../../src/db/pool.ts';
import { type ExvenueUpstream, startExvenueUpstream } from '../../../src/sandbox/exchange/index.ts';
import { type MailUpstream, startMailUpstream } from '../../../src/sandbox/mail.ts';
import { type NetvenueUpstream, startNetvenueUpstream } from '../../../src/sandbox/network/index.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { type RegistrarUpstream, startRegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { sandboxTiers } from '../../../src/sandbox/tiers.ts';
import { everythingIn, type Haystack } from '../canary.ts';
import { type Ask, asking, type Data } from '../identity.ts';
import { freshDatabase } from '../postgres.ts';
import { type Running, startProgram, startWebProcess, until } from '../processes.ts';
import { findQueueTable } from '../queue.ts';
import { type Receiver, startReceiver } from '../receivers.ts';
import { ENTITY, testSettings } from '../service.ts';
import { realSockets } from '../sockets.ts';
import { openVault, type Vault } from './vault.ts';

/**
 * Web and worker as separate processes with full logging, every upstream, and everything that is written and stored
 * meanwhile.
 */
export type Stage = {
  vault: Vault;
  url: string;
  db: Db;
  settings: Record<string, string>;
  upstreams: {
    miner: NetvenueUpstream;
    exchange: ExvenueUpstream;
    processor: ProcessorUpstream;
    registrar: RegistrarUpstream;
    mailbox: MailUpstream;
    receiver: Receiver;
  };
  processes: Running[];
  /** Rejections and failures as they were returned. */
  errors: Haystack[];
  /** Sends a request with the given headers; error responses are stored. */
  as(headers?: Record<string, string>): Ask;
  /** The newest mail to an address, once there is one whose text matches. */
  mailTo(address: string, matching: RegExp): Promise<string>;
  /**
   * Everything that must hold no secret: output of the processes, the whole database with every job that ever existed,
   * error responses.
   */
  everything(): Promise<Haystack[]>;
  stop(): Promise<void>;
};

/** Starts web, a worker and every upstream on a new database. */
export async function startStage(): Promise<Stage> {
  const unmocked = realSockets();
  const vault = openVault();
  const database = await freshDatabase();
  const db = await openPool(database.url, 4, () => {}); // connections are cut off on purpose
  await keepJobs(db);
  for (const tier of sandboxTiers) await saveTier(db, tier);
  const upstreams = await startUpstreams(vault);
  const settings = settingsFor(database.url, upstreams, vault);
  const web = await startWebProcess(settings);
  const worker = startProgram('worker', settings);
  await worker.waitForLine(/worker is running/);
  upstreams.processor.notifications.to(`${web.url}/v2/webhooks/processor`);
  const processes: Running[] = [web, worker];
  const errors: Haystack[] = [];
  const record = (what: string, { status, headers, body }: Data) => {
    const text = JSON.stringify([status, [...headers], body]);
    if (status >= 400) errors.push({ where: `rejection of ${what}`, text });
  };
  return {
    vault,
    url: web.url,
    db,
    settings,
    upstreams,
    processes,
    errors,
    as: (headers) => {
      const ask = asking(web.url, headers);
      return async (method, path, options) => {
        const data = await ask(method, path, options);
        record(`${method} ${path.slice(0, 60)}`, data);
        return data;
      };
    },
    mailTo: (address, matching) =>
      until(
        `a mail to ${address}`,
        () => upstreams.mailbox.mails(address).findLast(({ text }) => matching.test(text))?.text,
      ),
    async everything() {
      return [...(await everythingIn(database.url)), ...processes.flatMap(outputOf), ...errors];
    },
    async stop() {
      for (const { kill } of processes) kill('SIGKILL');
      await Promise.all(processes.map(({ exited }) => exited));
      await db.end();
      await closeAll(upstreams);
      await database.drop();
      unmocked();
    },
  };
}

/** The output of a process, line by line. */
export const outputOf = ({ lines }: Pick<Running, 'lines'>): Haystack[] =>
  lines.map((text) => ({ where: 'output', text }));

async function startUpstreams(vault: Vault): Promise<Stage['upstreams']> {
  const minerKey = vault.make("the platform's miner key");
  const validatorKey = vault.make('validator key');
  const secretKey = vault.make('processor secret', 'sk_test_');
  const notificationSecret = vault.make('processor notification secret', 'whsec_');
  return {
    miner: await startNetvenueUpstream({
      minerKey,
      validatorKey,
      entityHotkey: ENTITY,
      cooldownMs: 0,
      activationMs: 0,
    }),
    exchange: await startExvenueUpstream({ network: 'testnet', autoFund: '100000' }),
    processor: await startProcessorUpstream({ secretKey, notificationSecret }),
    registrar: await startRegistrarUpstream({ miningMs: 100 }),
    mailbox: await startMailUpstream(),
    receiver: await startReceiver(),
  };
}

function settingsFor(databaseUrl: string, upstreams: Stage['upstreams'], vault: Vault): Record<string, string> {
  const secretOf = (name: string) => vault.secrets().find((kept) => kept.name === name)?.secret ?? '';
  return testSettings(databaseUrl, upstreams.miner, {
    ...upstreams.registrar.settings,
    LOG_LEVEL: 'debug',
    NETVENUE_MINER_KEY: secretOf("the platform's miner key"),
    NETVENUE_VALIDATOR_KEY: secretOf('validator key'),
    EXVENUE_URL: upstreams.exchange.url,
    SMTP_URL: upstreams.mailbox.smtpUrl,
    PROCESSOR_URL: upstreams.processor.url,
    PROCESSOR_SECRET_KEY: secretOf('processor secret'),
    PROCESSOR_WEBHOOK_SECRET: secretOf('processor notification secret'),
    SEALING_KEYS: `run:${vault.keep('sealing key', randomBytes(32).toString('base64'))}`,
    REGISTRATION_MARGIN_S: '0',
    REGISTRATION_VALID_S: '3',
    REGISTRATION_POLL_MS: '100',
    REGISTRATION_DEADLINE_MS: '2000',
    ORDER_DEADLINE_MS: '4000',
    THROTTLE_SCALE: '100000',
  });
}

async function closeAll({
  miner,
  exchange,
  processor,
  registrar,
  mailbox,
  receiver,
}: Stage['upstreams']): Promise<void> {
  for (const upstream of [miner, exchange, processor, registrar, mailbox, receiver]) await upstream.close();
}

/**
 * Jobs are deleted when they are done, so this keeps a copy of every version of a job, including the text of its last
 * error.
 */
async function keepJobs(db: Db): Promise<void> {
  await db.query(sql.unsafe`create table jobs_seen (job text)`);
  await db.query(sql.unsafe`
    create function see_job() returns trigger language plpgsql security definer as $$
    begin
      insert into public.jobs_seen select to_jsonb(new)::text;
      return new;
    end $$`);
  await db.query(sql.unsafe`
    create trigger see_job after insert or update on ${sql.identifier(await findQueueTable(db, 'payload'))} for each row execute function see_job()`);
}
