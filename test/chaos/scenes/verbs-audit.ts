import type { Entry } from '../../../src/sandbox/ledger.ts';
import { netvenue } from '../../../src/venues/network/adapter/index.ts';
import { KEYS } from '../../support/service.ts';
import { countBy } from '../audit.ts';
import type { Site } from '../stage.ts';

/** The ledger compared with the result of every verb. All from `forgotten` to `unprotected` must be 0. */
export type VerbAudit = {
  verbs: number;
  /** Verbs by kind and final state. */
  states: Record<string, number>;
  /** The verb was acknowledged to the caller, and the service has no record of it. */
  forgotten: number;
  /** Success was reported, and the ledger has no such effect. */
  lost: number;
  /** The ledger has the effect more than once. */
  doubled: number;
  /** No effect was reported, and there is one. */
  denied: number;
  /** The ledger has an effect that no verb asked for. */
  strange: number;
  /** An order was reported as protected, its exits are gone, and no close reported that. */
  unprotected: number;
};

type Row = {
  id: string;
  kind: string;
  state: string;
  request: { trader: string; target?: string; trade_pair?: string; changes?: { quantity?: number } };
  sent_payload: { signal?: { order_uuid: string; execution_type: string }; position_uuid?: string } | null;
  outcome: { result?: { protection?: string; message?: string | null } } | null;
};

/** The pair in which orders carry exits and nothing is closed. */
export const PROTECTED = 'SOLUSDC';

/** Joins the ledger with every order verb; `taken`: the ids that the service acknowledged. */
export async function auditVerbs(stage: Site, taken: readonly string[]): Promise<VerbAudit> {
  const rows = await stage.rows<Row>(
    `select id, kind, state, request, sent_payload, outcome from intents where kind in (select kind from intent_kinds where venue is not null)`,
  );
  const entries = stage.upstream.ledger.entries().filter(({ kind }) => kind !== 'subaccount');
  const effects = new Map(rows.map((row) => [row.id, entries.filter((entry) => isEffectOf(row, entry))]));
  const known = new Set(rows.map(({ id }) => id));
  const explained = new Set([...effects.values()].flat());
  const count = (wrong: (state: string, done: number) => boolean) =>
    rows.filter(({ id, state }) => wrong(state, effects.get(id)?.length ?? 0)).length;
  return {
    verbs: rows.length,
    states: Object.fromEntries(countBy(rows.map(({ kind, state }) => `${kind.split('/').pop()} ${state}`))),
    forgotten: taken.filter((id) => !known.has(id)).length,
    lost: count((state, done) => state === 'succeeded' && done === 0),
    doubled: count((_, done) => done > 1),
    denied: count((state, done) => (state === 'failed' || state === 'expired') && done > 0),
    strange: entries.filter((entry) => !explained.has(entry) && !entry.key.includes('-bracket-')).length,
    unprotected: await countUnprotected(stage, rows),
  };
}

/** Whether an entry is the effect of a verb. Every order is edited once, to a quantity of its own, and cancelled once. */
function isEffectOf({ id, kind, request, sent_payload }: Row, entry: Entry): boolean {
  if (kind === 'network/place') return entry.key === id && ['market', 'limit'].includes(entry.kind);
  if (kind === 'network/cancel') return entry.key === request.target && entry.kind === 'cancel';
  if (kind === 'network/edit') return entry.key === request.target && entry.kind === 'edit' && isSized(entry, request);
  if (kind === 'network/protect') return entry.key === id && entry.kind === 'bracket';
  const { signal, position_uuid } = sent_payload ?? {};
  return signal?.execution_type === 'FLAT_ALL' // it is named after the position, whose id is that of the order that opened it
    ? entry.kind === 'flat_all' && entry.key === `${position_uuid}-flat-all`
    : entry.kind === 'market' && entry.key === signal?.order_uuid;
}

const isSized = ({ detail }: Entry, { changes }: Row['request']) =>
  Math.abs(Number(detail.quantity) - Number(changes?.quantity)) < 1e-9;

async function countUnprotected({ upstream }: Site, rows: readonly Row[]): Promise<number> {
  const venue = netvenue({ ...KEYS, minerUrl: upstream.minerUrl, validatorUrl: upstream.validatorUrl });
  const reported = new Set(
    rows
      .filter(({ kind, outcome }) => kind === 'network/close' && outcome?.result?.message?.includes(PROTECTED))
      .map(({ request }) => request.trader),
  );
  const promised = rows.filter(
    ({ kind, outcome }) => kind === 'network/place' && outcome?.result?.protection === 'placed',
  );
  const gone = await Promise.all(
    promised.map(async ({ id, request: { trader } }) => {
      const dashboard = await venue.dashboard(trader, { timeoutMs: 60_000 }); // this process may be busy
      if (dashboard.kind !== 'found') throw new Error(`The dashboard of ${trader} is ${JSON.stringify(dashboard)}`);
      const resting = dashboard.data.openOrders;
      return !reported.has(trader) && !resting.some(({ uuid }) => uuid.startsWith(`${id}-bracket-`));
    }),
  );
  return gone.filter(Boolean).length;
}
