import type { components } from '../../../../contract/types.ts';
import type { Db } from '../../../../db/pool.ts';
import { isPositive } from '../../../../kernel/decimals.ts';
import { coinOf, dexOf, legCloid } from '../../../../kernel/exchange-names.ts';
import { hasEnded } from '../../../../kernel/exchange-order-state.ts';
import type { IntentId, WalletAddress } from '../../../../kernel/ids.ts';
import { epochMs } from '../../../../kernel/work.ts';
import type { VenueReads } from '../../../reads.ts';
import type { OrderRecord, OrderView } from '../../adapter/types.ts';
import { filledSizeOf } from '../../filled.ts';
import { READS_BEHIND_MS } from '../evidence.ts';
import { EXIT_NAMES, type ExecutionReport, type ExitPrices, type Leg, legsOf } from '../rules.ts';
import { type ExitFacts, findExitFacts } from './queries.ts';

type Exit = components['schemas']['OrderExit'];
type Deps = { db: Db; reads: Pick<VenueReads, 'exchangeOrder' | 'exchangeOrders'> };

/** An order whose exits are to be read. `isOpen`: it is not filled yet, so they wait for it. `acceptedAt`: an ISO time. */
type Parent = {
  id: IntentId;
  wallet: WalletAddress;
  pair: string;
  isOpen: boolean;
  prices: ExitPrices;
  report: ExecutionReport;
  acceptedAt: string;
};

/**
 * The exits that were sent with an order, each in its present state. The exchange drops the records of old orders: such an exit is shown as the
 * list of open orders has it, else by what is recorded here. `pending`: no read shows it yet. `unknown`: nothing says what became of it.
 */
export async function readExits(deps: Deps, parent: Parent): Promise<Exit[]> {
  const { reads, db } = deps;
  const { id, wallet, prices } = parent;
  const legs = legsOf(prices);
  const records = await Promise.all(legs.map((leg) => reads.exchangeOrder(wallet, legCloid(id, leg))));
  const seen = legs.map((leg, n) => {
    const record = records[n];
    return { leg, record: record?.kind === 'found' && record.data.state !== 'unknown' ? record.data : null };
  });
  if (seen.every(({ record }) => record !== null)) {
    const facts = seen.some(({ record }) => needsExecutions(record)) ? await findExitFacts(db, parent) : NO_FACTS;
    return seen.map(({ leg, record }) => ofRecord(parent, leg, record, facts));
  }
  const [open, facts] = await Promise.all([
    reads.exchangeOrders(wallet, dexOf(coinOf(parent.pair))),
    findExitFacts(db, parent),
  ]);
  const isListRead = open.kind === 'found';
  const listed = isListRead ? open.data.flatMap((order) => [order, ...order.children]) : [];
  return seen.map(({ leg, record }) => {
    const order = listed.find(({ cloid }) => cloid === legCloid(id, leg));
    if (record) return ofRecord(parent, leg, record, facts);
    return order ? ofList(parent, leg, order) : ofFacts(parent, leg, { ...facts, isListRead });
  });
}

const priceOf = ({ prices }: Parent, leg: Leg) => (leg === 'tp' ? prices.take_profit : prices.stop_loss);

type Executed = Pick<ExitFacts, 'filled' | 'read_ms'>;
const NO_FACTS: Executed = { filled: {}, read_ms: null };

const ofRecord = (parent: Parent, leg: Leg, record: OrderRecord | null, executed: Executed): Exit => {
  if (!record) return unseen(parent, leg, { status: 'unknown', message: null });
  const { order, rejected } = record;
  const status = statusOf(record, parent.isOpen);
  const shown = shownExit(order, leg, { status, asked: priceOf(parent, leg) });
  const filled_size = needsExecutions(record) ? executedOf(leg, record, executed) : shown.filled_size;
  return { ...shown, filled_size, message: rejected?.message ?? null };
};

/** The executed size of an exit, by its recorded executions. Their absence counts only once they were read late enough to show any. */
const executedOf = (leg: Leg, { statusMs, state }: OrderRecord, { filled, read_ms }: Executed): string | null =>
  filled[leg] ?? (state !== 'filled' && statusMs < (read_ms ?? 0) - READS_BEHIND_MS ? '0' : null);

/** Whether only executions show what was filled of an exit, because the exchange shrinks exits with their position. */
const needsExecutions = (record: OrderRecord | null): boolean =>
  record !== null && hasEnded(record) && filledSizeOf(record.order, record.state) === null;

const ofList = (parent: Parent, leg: Leg, order: OrderView): Exit =>
  shownExit(order, leg, { status: parent.isOpen ? 'waiting' : 'open', asked: priceOf(parent, leg) });

/** An exit that neither a record nor the list of open orders shows, by what is recorded here. */
function ofFacts(parent: Parent, leg: Leg, facts: ExitFacts & { isListRead: boolean }): Exit {
  const filled = facts.filled[leg];
  if (filled && isPositive(filled))
    return unseen(parent, leg, { status: 'filled', size: filled, filled_size: filled, message: null });
  const { trigger_status, trigger_error, status } = parent.report;
  if (trigger_status === 'failed') {
    const failed = status === 'filled' ? 'rejected' : 'cancelled'; // else they ended with their order
    return unseen(parent, leg, { status: failed, filled_size: '0', message: trigger_error });
  }
  if (epochMs() - Date.parse(parent.acceptedAt) < READS_BEHIND_MS)
    return unseen(parent, leg, { status: 'pending', message: null });
  const why = facts.isListRead ? whyEnded(parent, leg, facts) : null;
  if (why !== null) return unseen(parent, leg, { status: 'cancelled', filled_size: '0', message: why });
  return unseen(parent, leg, { status: 'unknown', message: facts.isListRead ? DROPPED : UNREAD });
}

/** Why an exit ended without being executed; null if no record says so. */
function whyEnded({ id }: Parent, leg: Leg, { filled, decided, ended, isFlat }: ExitFacts): string | null {
  const sibling = filled[leg === 'tp' ? 'sl' : 'tp'];
  if (sibling && isPositive(sibling)) return 'The other exit was executed.';
  if (decided.includes(leg)) return 'A later command replaced or ended it.';
  if (isFlat) return 'It ended with the position.';
  return ended[legCloid(id, leg)] === undefined ? null : 'It ended at the exchange.';
}

const DROPPED = 'The exchange keeps no record of it any more, and it rests no longer.';
const UNREAD = 'The exchange shows no record of it, and its open orders cannot be read now.';

type Unseen = Pick<Exit, 'status' | 'message'> & Partial<Pick<Exit, 'size' | 'filled_size'>>;

/** An exit that no read shows. Its number is known once its order has ended. */
const unseen = (parent: Parent, leg: Leg, known: Unseen): Exit => ({
  exit: EXIT_NAMES[leg],
  ex_order_id: leg === 'tp' ? parent.report.tp_order_id : parent.report.sl_order_id,
  trigger_price: priceOf(parent, leg) ?? '0',
  size: null,
  filled_size: null,
  ...known,
});

/** The exits that the exchange lists in an open order of other software: they wait for its fill. */
export const waitingExits = ({ children }: OrderView): Exit[] =>
  children.flatMap((child) =>
    child.exit === null ? [] : shownExit(child, child.exit, { status: 'waiting', asked: null }),
  );

const shownExit = (
  order: OrderView,
  leg: Leg,
  { status, asked }: { status: Exit['status']; asked: string | null },
): Exit => ({
  exit: EXIT_NAMES[leg],
  ex_order_id: String(order.oid),
  trigger_price: order.triggerPrice ?? asked ?? '0',
  size: order.originalSize,
  filled_size: filledSizeOf(order, 'open') ?? '0', // one that is open has executed nothing
  status,
  message: null,
});

function statusOf({ state }: OrderRecord, isParentOpen: boolean): Exit['status'] {
  if (state === 'open') return isParentOpen ? 'waiting' : 'open';
  return state;
}
