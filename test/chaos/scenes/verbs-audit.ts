import type { Entry } from '../../../src/sandbox/ledger.ts';
import { countBy } from '../audit.ts';
import type { Site } from '../stage.ts';
import { auditExits, type VerbRow } from './verbs-exits.ts';

/** The ledger compared with the result of every verb. All from `forgotten` to `unprotected` must be 0. The miner's own repeats of an edit are no second effect. */
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
  /** A tp-sl or a position's protection was told in another state than the network has it in. */
  misreported: number;
  /** A position is open without the exits that were wanted of it, and nobody was told. */
  unprotected: number;
  /** Positions that are told to be unprotected. */
  told: number;
  /** Orders that the network filled more than once under their uuid, which was told. */
  repeated: number;
  /** What is denied, strange, misreported or unprotected, each with what shows it: a run is hardly ever repeated alike. */
  offenders: string[];
};

/** Joins the ledger with every order verb; `taken`: the ids that the service acknowledged. */
export async function auditVerbs(stage: Site, taken: readonly string[]): Promise<VerbAudit> {
  const rows = await stage.rows<VerbRow>(
    `select id, owner, kind, state, request, sent_payload, outcome, (select o.executed from orders o where o.id = intents.id) as executed
    from intents where kind in (select kind from intent_kinds where venue = 'netvenue')`,
  );
  const entries = stage.upstream.ledger.entries().filter(({ kind }) => kind !== 'subaccount');
  const effects = new Map(rows.map((row) => [row.id, entries.filter((entry) => isEffectOf(row, entry))]));
  const known = new Set(rows.map(({ id }) => id));
  const explained = new Set([...effects.values()].flat());
  const having = (wrong: (state: string, done: number) => boolean) =>
    rows.filter(({ id, state }) => wrong(state, effects.get(id)?.length ?? 0));
  const denied = having((state, done) => (state === 'failed' || state === 'expired') && done > 0);
  const strange = entries.filter((entry) => !explained.has(entry) && !entry.key.includes('-bracket-'));
  const { offenders, ...exits } = await auditExits(stage, rows);
  return {
    verbs: rows.length,
    states: Object.fromEntries(countBy(rows.map(({ kind, state }) => `${kind.split('/').pop()} ${state}`))),
    forgotten: taken.filter((id) => !known.has(id)).length,
    lost: having((state, done) => state === 'succeeded' && done === 0).length,
    doubled: rows.filter((row) => fillsOf(row) > 1 && !isToldAgain(row, effects.get(row.id) ?? [])).length,
    denied: denied.length,
    strange: strange.length,
    ...exits,
    repeated: rows.filter((row) => fillsOf(row) > 1 && isToldAgain(row, effects.get(row.id) ?? [])).length,
    offenders: [
      ...denied.map((row) => `denied ${JSON.stringify([row, effects.get(row.id)])}`),
      ...strange.map((entry) => `strange ${JSON.stringify(entry)}`),
      ...offenders,
    ],
  };

  function fillsOf({ id }: VerbRow): number {
    return (effects.get(id) ?? []).filter(({ kind }) => kind === 'market' || kind === 'flat_all').length;
  }
}

/** Whether what was executed of an order is told as the sum of its fills. */
const isToldAgain = ({ executed }: VerbRow, fills: readonly Entry[]) =>
  Math.abs(Number(executed?.quantity) - fills.reduce((sum, { detail }) => sum + Number(detail.quantity), 0)) < 1e-9;

/** Whether an entry is the effect of a verb. Every order is edited once, to a quantity of its own, and cancelled once. */
function isEffectOf({ id, kind, request, sent_payload }: VerbRow, entry: Entry): boolean {
  if (kind === 'network/place') return entry.key === id && ['market', 'limit'].includes(entry.kind);
  if (kind === 'network/cancel') return entry.key === request.target && entry.kind === 'cancel';
  if (kind === 'network/edit') return entry.key === request.target && entry.kind === 'edit' && isSized(entry, request);
  const { signal, position_uuid } = sent_payload ?? {};
  if (kind === 'network/protect')
    return signal?.execution_type === 'BRACKET'
      ? entry.key === id && entry.kind === 'bracket'
      : entry.key === signal?.order_uuid && entry.kind === 'edit';
  return signal?.execution_type === 'FLAT_ALL' // it is named after the position, whose id is that of the order that opened it
    ? entry.kind === 'flat_all' && entry.key === `${position_uuid}-flat-all`
    : entry.kind === 'market' && entry.key === signal?.order_uuid;
}

const isSized = ({ detail }: Entry, { changes }: VerbRow['request']) =>
  Math.abs(Number(detail.quantity) - Number(changes?.quantity)) < 1e-9;
