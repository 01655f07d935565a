import { createPartner } from '../../../src/capabilities/partners/commands.ts';
import { openPool } from '../../../src/db/pool.ts';
import type { Caller } from '../../support/caller.ts';
import { caller } from '../../support/caller.ts';
import { until } from '../../support/processes.ts';
import { acknowledged, atPace } from '../load.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

const ROUTE = '/miner/api/create-subaccount';
const PER_SECOND = 60;

type Ending = { id: string; state: string; outcome: unknown };
type Owned = { intent_id: string; subaccount_id: number };

/** The ledger and our rows compared for subaccounts. */
export type Created = {
  requested: number;
  /** Recorded creations by their final state, and how many were acknowledged but not recorded. */
  endings: Record<string, number>;
  forgotten: number;
  /** Ids in the ledger, ids that belong to an intent, and the intents that report a created subaccount. */
  made: number[];
  owned: number[];
  succeeded: string[];
  owners: string[];
  settleMs: number;
};

/** Subaccounts that lose the response in one of five cases, while a worker is killed. */
export async function createUnderLoss(options: {
  creations: number;
  seed: number;
  settings: Record<string, string>;
}): Promise<Created> {
  const stage = await openStage({ workers: 2, settings: options.settings });
  stage.upstream.faults.add({ kind: 'accept_then_drop', route: ROUTE, rate: 0.2, seed: options.seed });
  stage.upstream.faults.add({ kind: 'status_500', route: ROUTE, rate: 0.05, seed: options.seed + 1 });
  try {
    const partners = [await partner(stage), await partner(stage), await partner(stage)];
    const registered = atPace({ perSecond: PER_SECOND, goOn: (n) => n < options.creations }, (n) => {
      const owner = partners[n % partners.length] as Caller; // there are three
      return acknowledged(() => owner.post('/v1/register/netvenue', ASKED, { prefer: 'wait=0' }));
    });
    await until('the first of them made', () => stage.upstream.ledger.entries().length > 0 || null);
    [...stage.workers][0]?.kill('SIGKILL');
    const taken = await registered;
    const takenAt = performance.now();
    await allSettled(stage, 200_000);
    return {
      ...(await readCreations(stage, taken)),
      requested: options.creations,
      settleMs: performance.now() - takenAt,
    };
  } finally {
    await stage.close();
  }
}

const ASKED = { asset_class: 'crypto', account_size: 10_000 };

async function readCreations(
  { rows, upstream }: Stage,
  taken: string[],
): Promise<Omit<Created, 'requested' | 'settleMs'>> {
  const intents = await rows<Ending>(`select id, state, outcome from intents where kind = 'accounts/provision'`);
  const owned = await rows<Owned>('select intent_id, subaccount_id from subaccounts');
  const known = new Set(intents.map(({ id }) => id));
  const endings = Object.groupBy(intents, ({ state, outcome }) =>
    state === 'succeeded' ? state : JSON.stringify(outcome),
  );
  return {
    endings: Object.fromEntries(Object.entries(endings).map(([ending, all]) => [ending, all?.length ?? 0])),
    forgotten: taken.filter((id) => !known.has(id)).length,
    made: upstream.ledger
      .entries()
      .flatMap(({ kind, subaccount_id = -1 }) => (kind === 'subaccount' ? [subaccount_id] : [])),
    owned: owned.map(({ subaccount_id }) => subaccount_id),
    succeeded: intents.filter(({ state }) => state === 'succeeded').map(({ id }) => id),
    owners: owned.map(({ intent_id }) => intent_id),
  };
}

/** Whether every subaccount of the ledger belongs to exactly one creation that reports it. */
export function creationVerdict(created: Created): Verdict {
  const { requested, endings, forgotten, made, owned, succeeded, owners, settleMs } = created;
  const leftOver = made.length - new Set(owned).size;
  const kept = leftOver === 0 && owned.length === made.length && forgotten === 0 && equal(owners, succeeded);
  return {
    promise: 'R5',
    text: 'subaccounts, one response in five lost',
    figure: `${requested} creations, ${made.length} in the ledger, ${leftOver} without an owner, ${JSON.stringify(endings)}; settled ${seconds(settleMs)} after the last`,
    bound: '0 second subaccounts',
    kept: kept && made.length <= requested && equal(made.map(String), owned.map(String)),
  };
}

const equal = (a: string[], b: string[]) => [...a].sort().join() === [...b].sort().join();

async function partner({ settings, web }: Stage): Promise<Caller> {
  const db = await openPool(settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL ?? '', 1, () => {});
  return caller(web.url, (await createPartner(db, 'Accounts').finally(() => db.end())).key);
}
