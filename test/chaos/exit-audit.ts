import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import type { Entry } from '../../src/sandbox/ledger.ts';

const LEGS = ['tp', 'sl'] as const;
const CLOSED = ['already_closed', 'not_found'];

/** An exchange intent in the order of acceptance, with what it said to its caller. */
export type Command = {
  id: string;
  kind: string;
  state: string;
  request: { wallet: string; pair?: string; oids?: unknown };
  outcome: {
    result?: {
      status?: string;
      results?: { ex_order_id: string; status: string }[];
      tp_order_id?: string;
      sl_order_id?: string;
      trigger_status?: string;
    };
  } | null;
};

/** What the exchange's ledger has of the orders that ended. */
type Ledger = { placed: Map<string, string>; ended: Set<string> };

/** The exchange's numbers of placed orders by their client order id, and the numbers of those that rest no longer. */
export const ledgerOf = (entries: readonly Entry[]): Ledger => ({
  placed: new Map(entries.filter(({ kind }) => kind === 'placed').map(({ key, detail }) => [key, String(detail.oid)])),
  ended: new Set(
    entries.filter(({ kind }) => kind === 'cancelled' || kind === 'filled').map(({ detail }) => String(detail.oid)),
  ),
});

/** Exits that rest although a later command for the same leg succeeded, or one that cancelled everything. */
export const outdatedExits = (commands: readonly Command[], { placed, ended }: Ledger): number =>
  commands
    .flatMap((command, at) => LEGS.map((leg) => ({ command, leg, later: commands.slice(at + 1) })))
    .filter(({ command: { kind, id, request }, leg, later }) => {
      const oid = placed.get(legCloid(id, leg));
      if (kind !== 'exchange/protect' || oid === undefined || ended.has(oid)) return false;
      return later.some((next) => request.wallet === next.request.wallet && overrules(next, request.pair, leg, placed));
    }).length;

/** Orders and exits that rest although a later command cancelled all orders of their wallet, and said so. */
export const leftOpen = (commands: readonly Command[], { placed, ended }: Ledger): number => {
  const cancelled = new Map<string, number>();
  for (const [at, { kind, state, request, outcome }] of commands.entries())
    if (kind === 'exchange/cancel' && request.oids === 'all' && state === 'succeeded')
      if (outcome?.result?.status !== 'partial') cancelled.set(request.wallet, at);
  return commands
    .filter(({ request }, at) => at < (cancelled.get(request.wallet) ?? 0))
    .flatMap(({ id }) => [cloidOf(id), ...LEGS.map((leg) => legCloid(id, leg))])
    .filter((name) => placed.has(name) && !ended.has(String(placed.get(name)))).length;
};

/** Orders that a cancellation reported as closed or unknown, and that rest. */
export const restingReportedClosed = (commands: readonly Command[], { placed, ended }: Ledger): number => {
  const known = new Set(placed.values());
  const reported = commands.flatMap(({ outcome }) => outcome?.result?.results ?? []);
  return reported.filter(
    ({ ex_order_id, status }) => CLOSED.includes(status) && known.has(ex_order_id) && !ended.has(ex_order_id),
  ).length;
};

function overrules(next: Command, pair: string | undefined, leg: 'tp' | 'sl', placed: Map<string, string>): boolean {
  if (next.state !== 'succeeded') return false;
  if (next.kind === 'exchange/cancel') return next.request.oids === 'all';
  return next.kind === 'exchange/protect' && next.request.pair === pair && placed.has(legCloid(next.id, leg));
}
