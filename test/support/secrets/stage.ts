import { randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { type Db, openPool } from '../../../src/db/pool.ts';
import { saveTier } from '../../../src/payments/intents.ts';
import { type ExvenueParty, startExvenueParty } from '../../../src/sandbox/exvenue/index.ts';
import { type MailParty, startMailParty } from '../../../src/sandbox/mail.ts';
import { type NetvenueParty, startNetvenueParty } from '../../../src/sandbox/netvenue/index.ts';
import { type ProcessorParty, startProcessorParty } from '../../../src/sandbox/processor/index.ts';
import { type RegistrarParty, startRegistrarParty } from '../../../src/sandbox/registrar/index.ts';
import { sandboxTiers } from '../../../src/sandbox/tiers.ts';
import { everythingIn, type Haystack } from '../canary.ts';
import { type Ask, asking, type Said } from '../identity.ts';
import { freshDatabase } from '../postgres.ts';
import { type Running, startProgram, startWebProcess, until } from '../processes.ts';
import { type Receiver, startReceiver } from '../receivers.ts';
import { ENTITY, testSettings } from '../service.ts';
import { realSockets } from '../sockets.ts';
import { openVault, type Vault } from './vault.ts';

/** Web and worker as processes of their own that log all they can, every party, and all that is said and kept meanwhile. */
export type Stage = {
  vault: Vault;
  url: string;
  db: Db;
  settings: Record<string, string>;
  parties: {
    miner: NetvenueParty;
    exchange: ExvenueParty;
    processor: ProcessorParty;
    registrar: RegistrarParty;
    mailbox: MailParty;
    receiver: Receiver;
  };
  processes: Running[];
  /** Refusals and failures as they were answered. */
  refusals: Haystack[];
  /** Asks with headers of one's own; refusals are kept. */
  as(headers?: Record<string, string>): Ask;
  /** The newest mail to an address, once there is one whose text matches. */
  mailTo(address: string, matching: RegExp): Promise<string>;
  /** All that must hold no secret: output of the processes, the whole database with every job there ever was, refusals. */
  everything(): Promise<Haystack[]>;
  stop(): Promise<void>;
};

export async function startStage(): Promise<Stage> {
  const unmocked = realSockets();
  const vault = openVault();
  const database = await freshDatabase();
  const db = await openPool(database.url, 4, () => {}); // connections are cut off on purpose
  await keepJobs(db);
  for (const tier of sandboxTiers) await saveTier(db, tier);
  const parties = await startParties(vault);
  const settings = settingsFor(database.url, parties, vault);
  const web = await startWebProcess(settings);
  const worker = startProgram('worker', settings);
  await worker.says(/worker is running/);
  parties.processor.notifications.to(`${web.url}/v2/webhooks/processor`);
  const processes: Running[] = [web, worker];
  const refusals: Haystack[] = [];
  const heard = (what: string, { status, headers, body }: Said) => {
    const text = JSON.stringify([status, [...headers], body]);
    if (status >= 400) refusals.push({ where: `refusal of ${what}`, text });
  };
  return {
    vault,
    url: web.url,
    db,
    settings,
    parties,
    processes,
    refusals,
    as: (headers) => {
      const ask = asking(web.url, headers);
      return async (method, path, asked) => {
        const said = await ask(method, path, asked);
        heard(`${method} ${path.slice(0, 60)}`, said);
        return said;
      };
    },
    mailTo: (address, matching) =>
      until(
        `a mail to ${address}`,
        () => parties.mailbox.mails(address).findLast(({ text }) => matching.test(text))?.text,
      ),
    async everything() {
      return [...(await everythingIn(database.url)), ...processes.flatMap(outputOf), ...refusals];
    },
    async stop() {
      for (const { kill } of processes) kill('SIGKILL');
      await Promise.all(processes.map(({ exited }) => exited));
      await db.end();
      await closeAll(parties);
      await database.drop();
      unmocked();
    },
  };
}

/** What a process said, line by line. */
export const outputOf = ({ lines }: Pick<Running, 'lines'>): Haystack[] =>
  lines.map((text) => ({ where: 'output', text }));

async function startParties(vault: Vault): Promise<Stage['parties']> {
  const minerKey = vault.make("the platform's miner key");
  const validatorKey = vault.make('validator key');
  const secretKey = vault.make('processor secret', 'sk_test_');
  const notificationSecret = vault.make('processor notification secret', 'whsec_');
  return {
    miner: await startNetvenueParty({ minerKey, validatorKey, entityHotkey: ENTITY, cooldownMs: 0, activationMs: 0 }),
    exchange: await startExvenueParty({ network: 'testnet', autoFund: '100000' }),
    processor: await startProcessorParty({ secretKey, notificationSecret }),
    registrar: await startRegistrarParty({ miningMs: 100 }),
    mailbox: await startMailParty(),
    receiver: await startReceiver(),
  };
}

function settingsFor(databaseUrl: string, parties: Stage['parties'], vault: Vault): Record<string, string> {
  const secretOf = (name: string) => vault.secrets().find((kept) => kept.name === name)?.secret ?? '';
  return testSettings(databaseUrl, parties.miner, {
    ...parties.registrar.settings,
    LOG_LEVEL: 'debug',
    NETVENUE_MINER_KEY: secretOf("the platform's miner key"),
    NETVENUE_VALIDATOR_KEY: secretOf('validator key'),
    EXVENUE_URL: parties.exchange.url,
    SMTP_URL: parties.mailbox.smtpUrl,
    PROCESSOR_URL: parties.processor.url,
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

async function closeAll({ miner, exchange, processor, registrar, mailbox, receiver }: Stage['parties']): Promise<void> {
  for (const party of [miner, exchange, processor, registrar, mailbox, receiver]) await party.close();
}

/** Jobs go when they are done: a copy stays of all that was ever written of one, the text of its last error with it. */
async function keepJobs(db: Db): Promise<void> {
  await db.query(sql.unsafe`create table jobs_seen (job text)`);
  await db.query(sql.unsafe`
    create function see_job() returns trigger language plpgsql as $$
    begin
      insert into public.jobs_seen select to_jsonb(new)::text;
      return new;
    end $$`);
  await db.query(sql.unsafe`
    create trigger see_job after insert or update on graphile_worker._private_jobs for each row execute function see_job()`);
}
