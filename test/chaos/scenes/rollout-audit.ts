import { Webhook } from 'standardwebhooks';
import type { Receipt } from '../../../src/capabilities/agreements/rules.ts';
import { verifyAgreements } from '../../../src/capabilities/agreements/verify.ts';
import { openPool } from '../../../src/db/pool.ts';
import { headSigner } from '../../../src/kernel/head-keys.ts';
import { until } from '../../support/processes.ts';
import { countBy } from '../audit.ts';
import { auditExchange, isFlawlessExchange } from '../exchange-audit.ts';
import type { Verdict } from '../verdicts.ts';
import { settled } from './money.ts';
import { auditMoney, moneyVerdicts } from './money-audit.ts';
import type { Crowd, Taken } from './rollout-load.ts';
import type { Reading } from './rollout-reads.ts';
import type { Rollout } from './rollout-stage.ts';
import { checkExits } from './trading.ts';
import { auditVerbs, type VerbAudit } from './verbs-audit.ts';
import { allCompared } from './verbs-exits.ts';

const SETTLED_WITHIN_MS = 120_000;

/** What the upstreams have, compared with what was told, once everything has settled. Every list of offenders must be empty. */
export type RolloutAudit = {
  network: VerbAudit;
  exchange: Awaited<ReturnType<typeof auditExchange>>;
  money: Awaited<ReturnType<typeof auditMoney>>;
  /** Subaccounts, payments on the chain, events, mails and signatures that one side does not have, or has more often. */
  others: Record<'subaccounts' | 'payments' | 'events' | 'mails' | 'signatures', string[]>;
  /** Jobs that failed and are still there, and processes whose readiness check fails. */
  jobs: string[];
  unready: string[];
};

/** Waits until everything has settled, and asks all upstreams. */
export async function auditRollout(crowd: Crowd, taken: readonly Taken[]): Promise<RolloutAudit> {
  const { rollout } = crowd;
  const { stage } = rollout;
  stage.upstream.faults.clear();
  stage.exchange.faults.clear();
  await settled(rollout);
  await checkExits(stage, SETTLED_WITHIN_MS);
  await allCompared(stage, SETTLED_WITHIN_MS);
  await until('the deliveries and mails', async () => (await stage.rows(WAITING)).length === 0, SETTLED_WITHIN_MS);
  return {
    network: await auditVerbs(
      stage,
      taken.flatMap(({ network }) => network),
    ),
    exchange: await auditExchange(
      stage,
      taken.flatMap(({ exchange }) => exchange),
    ),
    money: await auditMoney(rollout),
    others: {
      subaccounts: await subaccountsOf(rollout),
      payments: await paymentsOf(rollout),
      events: await eventsOf(crowd),
      mails: await mailsOf(rollout),
      signatures: await signaturesOf(
        rollout,
        taken.flatMap(({ receipts }) => receipts),
      ),
    },
    jobs: (await stage.rows(FAILED_JOBS)).map((job) => JSON.stringify(job)),
    unready: (await stage.rows(UNREADY)).map((process) => JSON.stringify(process)),
  };
}

const WAITING = `
  select from webhook_deliveries where state in ('pending', 'sending')
  union all
  select from mails where state = 'queued'
  union all
  select from queue_jobs where task like 'registration/%'`;
const FAILED_JOBS = 'select task, attempts, last_error from queue_jobs where last_error is not null';
const UNREADY = `select kind, version, failing_checks from processes where seen_at > now() - interval '15 seconds' and failing_checks <> '{}'`;

/** The names that are on one side more often than on the other. */
function differing(theirs: readonly string[], ours: readonly string[]): string[] {
  const [there, here] = [countBy(theirs), countBy(ours)];
  return [...new Set([...theirs, ...ours])].filter((name) => there.get(name) !== here.get(name));
}

async function subaccountsOf({ stage }: Rollout): Promise<string[]> {
  const rows = await stage.rows<{ id: number }>('select subaccount_id as id from subaccounts');
  const created = stage.upstream.ledger.entries().filter(({ kind }) => kind === 'subaccount');
  return differing(
    created.map(({ subaccount_id }) => String(subaccount_id)),
    rows.map(({ id }) => String(id)),
  );
}

async function paymentsOf({ stage, chain }: Rollout): Promise<string[]> {
  const rows = await stage.rows<{ tx_hash: string | null; state: string; id: string }>(
    'select r.id, r.tx_hash, i.state from registrations r join intents i on i.id = r.id',
  );
  const paid = rows.flatMap(({ tx_hash }) => tx_hash ?? []);
  const transfers = await chain.transfers();
  return [
    ...differing(
      transfers.map(({ txHash }) => txHash),
      paid,
    ),
    ...rows.filter(({ tx_hash, state }) => state === 'succeeded' && !tx_hash).map(({ id }) => id),
  ];
}

/** Events that no receiver has, and deliveries whose signature does not verify. They may arrive more than once. */
async function eventsOf({ rollout: { stage, receiver }, secrets }: Crowd): Promise<string[]> {
  const events = await stage.rows<{ id: string }>(
    'select e.id from events e join webhook_endpoints w on w.owner = e.owner and w.created_at < e.created_at',
  );
  const received = receiver.ledger.map(({ path, headers, body }) => {
    new Webhook(String(secrets[path])).verify(body, headers as Record<string, string>); // as: none of them is repeated
    return String(JSON.parse(body).id);
  });
  return events.map(({ id }) => id).filter((id) => !received.includes(id));
}

/** Mails that are reported as sent and never arrived, or the reverse. They may arrive more than once. */
async function mailsOf({ stage, mailbox }: Rollout): Promise<string[]> {
  const rows = await stage.rows<{ id: string }>(`select id from mails where state = 'sent'`);
  const arrived = new Set(mailbox.mails().map(({ message_id }) => /<([^@]+)@/.exec(message_id)?.[1] ?? message_id));
  return differing(
    [...arrived],
    rows.map(({ id }) => id),
  );
}

/** What the verifier of agreements says of the chains, and of the receipts that signers have. */
async function signaturesOf({ stage, databaseUrl }: Rollout, receipts: Receipt[]): Promise<string[]> {
  const db = await openPool(databaseUrl, 1, () => {});
  const keys = headSigner(String(stage.settings.AGREEMENT_KEYS)).publicKeys;
  const { rows, faults } = await verifyAgreements(db, receipts, keys).finally(() => db.end());
  const found = faults.map((fault) => JSON.stringify(fault));
  return rows === receipts.length ? found : [...found, `${rows} rows, ${receipts.length} receipts`];
}

type Seen = { audit: RolloutAudit; readings: readonly Reading[] };

/** The verdicts on a roll-out and a roll-back. */
export function rolloutVerdicts({ ran, statuses }: Rollout, { audit, readings }: Seen): Verdict[] {
  const { network, exchange, money, others, jobs, unready } = audit;
  const { forgotten, lost, doubled, denied, strange, misreported, unprotected, offenders } = network;
  const wrong = forgotten + lost + doubled + denied + strange + misreported + unprotected;
  const verdict = (text: string, figure: string, kept: boolean): Verdict => ({
    ...{ promise: 'BESIDE', text, figure, kept, bound: 'nothing lost, doubled or told wrongly' },
  });
  const none = (text: string, list: readonly string[], figure = '') =>
    verdict(text, `${figure}${list.length}${list.map((each) => `; ${each}`).join('')}`, list.length === 0);
  const lines = ran.flatMap(({ version, program, process }) =>
    process.lines.filter((line) => FAULT.test(line) && !AWAY.test(line)).map((line) => `${version} ${program} ${line}`),
  );
  const done = countBy(
    ran.flatMap(({ version, process }) =>
      process.lines.flatMap((line) => (/"task":".*"outcome":"succeeded"/.test(line) ? version : [])),
    ),
  );
  const failed = Object.keys(statuses).filter((name) => / 5/.test(name) && !name.endsWith(' 503'));
  return [
    verdict(
      'verbs at the network',
      `${JSON.stringify(network.states)}: ${wrong} wrong${offenders.map((each) => `; ${each}`).join('')}`,
      wrong === 0 && network.verbs > 0,
    ),
    verdict('verbs at the exchange', JSON.stringify(exchange), isFlawlessExchange(exchange) && exchange.placed > 0),
    ...moneyVerdicts(money, { kills: 3, lost: 0 }),
    ...Object.entries(others).map(([what, list]) =>
      none(`${what} that one side does not have, or has more often`, list),
    ),
    none('jobs that failed and wait', jobs),
    none('processes that are not ready at the end', unready),
    none('faults that nobody foresaw, in any log', lines),
    none('responses of 5xx but 503', failed, `${JSON.stringify(statuses)} `),
    verdict('intents executed by each version', JSON.stringify(Object.fromEntries(done)), done.size === 2),
    none(
      'reads that one version responds to otherwise',
      readings.flatMap(({ offence }) => offence ?? []),
      `${readings.length} reads: `,
    ),
  ];
}

/** What a process logs of an error that is none of the catalogue, or of a task that threw. */
const FAULT = /"msg":"bug"|"outcome":"threw"|"level":60/;
/** The database did not respond in time, on a busy machine: such a task is repeated. */
const AWAY = /"outcome":"threw".*(timeout|ConnectionError)/i;
