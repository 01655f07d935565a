import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import type { Entry } from '../../src/sandbox/ledger.ts';
import { countBy } from './audit.ts';
import { type Command, ledgerOf, leftOpen, outdatedExits, restingReportedClosed } from './exit-audit.ts';
import type { Stage } from './stage.ts';

/** The exchange's ledger compared with the recorded intents of this service. All from `forgotten` on must be 0. */
export type ExchangeAudit = {
  /** Intents by verb and their final state. */
  verbs: Record<string, number>;
  /** Orders in the ledger, exits among them, and signed actions of all kinds. */
  placed: number;
  actions: number;
  /** The order was acknowledged to the caller, and the service has no record of it. */
  forgotten: number;
  /** Intents that have not ended. */
  open: number;
  /** Success was reported to the caller, and the ledger has no such order. */
  lost: number;
  /** A client order id that was placed more than once. */
  doubled: number;
  /** No effect was reported to the caller, and there is one. */
  denied: number;
  /** The ledger has an order without a request. */
  strange: number;
  /** A nonce that one signer used more than once. */
  nonces_twice: number;
  /** A cancellation was reported to the caller, and the ledger does not have it. */
  not_cancelled: number;
  /** A cancellation reported an order as closed or unknown, and it rests. */
  not_closed: number;
  /** An exit rests although a later command about it succeeded. */
  outdated_exits: number;
  /** An order or exit rests although all orders were cancelled after it. */
  left_open: number;
};

/**
 * Joins the exchange's ledger with the intents on the client order id, and nonces on their signer; `taken` as for
 * orders.
 */
export async function auditExchange({ rows, exchange }: Stage, taken: readonly string[] = []): Promise<ExchangeAudit> {
  const verbs = await rows<Command>(
    `select id, kind, state, request, outcome from intents where kind like 'exchange/%' order by position`,
  );
  const entries = exchange.ledger.entries();
  const placed = countBy(keysOf(entries, 'placed'));
  const nonces = countBy(keysOf(entries, 'action'));
  const cancelled = new Set(entries.filter(({ kind }) => kind === 'cancelled').map(({ detail }) => String(detail.oid)));
  const known = new Set(verbs.flatMap(namesOf));
  const recorded = new Set(verbs.map(({ id }) => id));
  const placedBy = (verb: Command) => namesOf(verb).filter((name) => placed.has(name)).length;
  const count = (wrong: (verb: Command) => boolean) => verbs.filter(wrong).length;
  return {
    verbs: Object.fromEntries(countBy(verbs.map(({ kind, state }) => `${kind.split('/').pop()} ${state}`))),
    placed: sum(placed),
    actions: sum(nonces),
    forgotten: taken.filter((id) => !recorded.has(id)).length,
    open: count(({ state }) => ['queued', 'running', 'in_doubt'].includes(state)),
    lost: count((verb) => verb.state === 'succeeded' && !isThere(verb, placed)),
    doubled: repeated(placed),
    denied: count((verb) => ['failed', 'expired'].includes(verb.state) && placedBy(verb) > 0),
    strange: [...placed.keys()].filter((name) => !known.has(name)).length,
    nonces_twice: repeated(nonces),
    not_cancelled: verbs
      .flatMap(({ outcome }) => outcome?.result?.results ?? [])
      .filter(({ ex_order_id, status }) => status === 'cancelled' && !cancelled.has(ex_order_id)).length,
    not_closed: restingReportedClosed(verbs, ledgerOf(entries)),
    outdated_exits: outdatedExits(verbs, ledgerOf(entries)),
    left_open: leftOpen(verbs, ledgerOf(entries)),
  };
}

/** The result of a run without a fault in the service, except its counts. */
export const flawless = {
  forgotten: 0,
  open: 0,
  lost: 0,
  doubled: 0,
  denied: 0,
  strange: 0,
  nonces_twice: 0,
  not_cancelled: 0,
  not_closed: 0,
  outdated_exits: 0,
  left_open: 0,
} as const satisfies Partial<ExchangeAudit>;

/** Whether a run was without a fault in the service. */
export const isFlawlessExchange = (audit: ExchangeAudit): boolean =>
  (Object.keys(flawless) as (keyof typeof flawless)[]).every((name) => audit[name] === 0); // as: its own names

/** Whether the ledger has what a success promised. A cancellation promises no order. */
function isThere({ id, kind, outcome }: Command, placed: Map<string, number>): boolean {
  if (kind === 'exchange/cancel') return true;
  if (kind !== 'exchange/protect') return placed.has(cloidOf(id));
  const { trigger_status: status, ...numbers } = outcome?.result ?? {};
  const legs = (['tp', 'sl'] as const).filter((leg) => placed.has(legCloid(id, leg)));
  if (status === 'not_requested') return legs.length === 0; // a later command decided
  return status === 'failed' || (legs.length > 0 && legs.every((leg) => numbers[`${leg}_order_id`]));
}

/** Every client order id that a verb may have used. */
const namesOf = ({ id }: Command): string[] => [cloidOf(id), legCloid(id, 'tp'), legCloid(id, 'sl')];

const keysOf = (entries: readonly Entry[], wanted: string) =>
  entries.filter(({ kind }) => kind === wanted).map(({ key }) => key);

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0);

const repeated = (counts: Map<string, number>) => [...counts.values()].filter((count) => count > 1).length;
