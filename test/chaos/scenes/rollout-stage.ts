import { startMailUpstream } from '../../../src/sandbox/mail.ts';
import { startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { startRegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { startChain } from '../../support/chain.ts';
import { PROCESSOR, WEBHOOK } from '../../support/money.ts';
import { addressedAs, freshDatabase } from '../../support/postgres.ts';
import { ROOT, type Running, STARTED_MS, startProgram, startWebProcess, until } from '../../support/processes.ts';
import { startReceiver } from '../../support/receivers.ts';
import { QUICK_PURCHASES } from '../../support/registration.ts';
import { relayTo } from '../../support/relay.ts';
import { enrollWallets, makeTraders } from '../callers.ts';
import { openStage, type Stage, type WorkerProcess } from '../stage.ts';
import { SOON } from './money.ts';

/** The versions that run beside each other: that of a checkout, which was released first, and this one. */
export type Version = 'previous' | 'this';

/** A process that runs or ran. */
export type Ran = { version: Version; program: 'web' | 'worker' | 'release'; process: Running };

/** A web process and its address. */
export type Web = Running & { url: string };

const SETTINGS = {
  ...SOON,
  NETVENUE_IN_FLIGHT_MS: '4000',
  ORDER_DEADLINE_MS: '60000',
  EXVENUE_BUDGET_PER_MINUTE: '200000',
  PROCESSOR_SECRET_KEY: PROCESSOR.secretKey,
  PROCESSOR_WEBHOOK_SECRET: PROCESSOR.notificationSecret,
  ...QUICK_PURCHASES,
  LOG_LEVEL: 'info',
};

/** What is outside of every process: all upstreams, a partner's receiver, and the database with the processes' roles. */
export type Rollout = Awaited<ReturnType<typeof openRollout>>;

/**
 * The database as the version in `root` has released it (TEST_RELEASE), with that version's web. Callers reach, at `stage.web.url`, each web that
 * `lead` has named in turn.
 */
export async function openRollout(root: string) {
  const chain = await startChain();
  const [processor, mailbox, receiver, front, database, registrar] = await Promise.all([
    startProcessorUpstream(PROCESSOR),
    startMailUpstream(),
    startReceiver(),
    relayTo(),
    freshDatabase(),
    startRegistrarUpstream({ chain, miningMs: 300 }),
  ]);
  const upstreams = { ...registrar.settings, PROCESSOR_URL: processor.url, SMTP_URL: mailbox.smtpUrl };
  const as = (process: 'web' | 'worker') => addressedAs(process, { DATABASE_URL: database.url });
  const own = await openStage({ root, database, workers: 0, settings: { ...SETTINGS, ...upstreams, ...as('web') } });
  const ran: Ran[] = [{ version: 'previous', program: 'web', process: own.web }];
  const noted = <Process extends Running>(version: Version, program: Ran['program'], process: Process): Process => {
    ran.push({ version, program, process });
    return process;
  };
  const folderOf = { previous: root, this: ROOT };
  const stage: Stage = {
    ...own,
    web: { ...own.web, url: front.url },
    webs: [{ ...own.web, url: front.url }],
    traders: (count) => makeTraders({ ...own, webs: [front] }, database.url, count),
    wallets: (count) => enrollWallets([front], database.url, count),
  };
  const statuses: Record<string, number> = {};
  processor.notifications.to(front.url + WEBHOOK);
  return {
    ...{ stage, processor, chain, mailbox, receiver, registrar, ran, statuses, databaseUrl: database.url },
    /** The web that runs from the start. */
    first: own.web as Web,
    async release(version: Version): Promise<void> {
      const settings = { ...own.settings, DATABASE_URL: database.url };
      const { exited, lines } = noted(version, 'release', startProgram('release', settings, folderOf[version]));
      const { code } = await exited;
      if (code !== 0) throw new Error(`The release of the ${version} version failed:\n${lines.join('\n')}`);
    },
    worker: async (version: Version): Promise<WorkerProcess> =>
      noted(version, 'worker', await own.startWorker(as('worker'), folderOf[version])),
    async web(version: Version): Promise<Web> {
      const web = noted(version, 'web', await startWebProcess(own.settings, folderOf[version]));
      await until(`the ${version} web to be ready`, () => isReady(web), STARTED_MS);
      return web;
    },
    /** Each request goes to the next of these. Counts responses by version and status. */
    lead(webs: Partial<Record<Version, Web>>): void {
      const versions = Object.keys(webs) as Version[]; // as: its own names
      let requests = 0;
      front.handle = async ({ forward }) => {
        const version = versions[requests++ % versions.length] as Version; // as: there is at least one
        front.target = webs[version]?.url ?? '';
        const reply = await forward();
        const name = `${version} ${reply === 'lost' ? reply : reply.status}`;
        statuses[name] = (statuses[name] ?? 0) + 1;
        return reply;
      };
    },
    async close(): Promise<void> {
      await processor.notifications.close();
      for (const { process } of ran) process.kill('SIGKILL');
      await own.close();
      await Promise.all([front, registrar, receiver, mailbox, processor].map((each) => each.close()));
      await chain.close();
    },
  };
}

const isReady = ({ url }: Web): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
