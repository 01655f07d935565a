import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import { idSchema } from '../../src/kernel/ids.ts';
import type { TestService } from '../support/service.ts';
import { averageOf, type Leg, leftBy, rounded, sizeOf, type Truth, truthOf } from './exchange-truth.ts';

export type Trader = Awaited<ReturnType<TestService['wallet']>>;
type OrderBody = {
  ex_order_id: string;
  status: string;
  filled_size: string | null;
  fill_price: string | null;
  fills?: { trade_id: string }[];
  exits?: { exit: string; status: string; filled_size: string | null }[];
  trigger_status: string;
};
type WantedExits = { take_profit: string | null; stop_loss: string | null; waits?: boolean };
type EventBody = {
  type: string;
  data: {
    order_uuid: string;
    lifecycle: string | null;
    executed: { filled_size: string } | null;
    ex_order_id: string;
    filled_size: string;
    liquidated_size: string;
    side: string | null;
    size: string;
    previous_size: string;
    fills: { trade_id: string; order_id: string | null; cause: string }[];
    wanted: WantedExits[];
  };
};
type Intent = z.infer<typeof intentRow>;
const intentRow = z.object({ id: idSchema.intent, kind: z.string() });

const ORDERS = '/v1/orders/exvenue';
const LEGS = ['tp', 'sl'] as const;

/** Everything that a partner is told of a wallet otherwise than it is at the exchange. */
export async function differences(service: TestService, trader: Trader): Promise<string[]> {
  const wrong: string[] = [];
  const same = (what: string, told: unknown, is: unknown) => {
    const [a, b] = [JSON.stringify(told), JSON.stringify(is)];
    if (a !== b) wrong.push(`${what}: told ${a}, is ${b}`);
  };
  const truth = await truthOf(service, trader.wallet);
  const events: EventBody[] = (await trader.get('/v1/events?limit=500')).body;
  const dataOf = (type: string) => events.flatMap((event) => (event.type === type ? event.data : []));
  const intents = await service.db.any(sql.type(intentRow)`
    select id, kind from intents where request ->> 'wallet' = ${trader.wallet} order by position`);

  const listed: OrderBody[] = (await trader.get(ORDERS)).body;
  const numbers = (orders: readonly (number | string)[]) => orders.map(Number).sort();
  same('open orders', numbers(listed.map(({ ex_order_id }) => ex_order_id)), numbers(truth.open.map(({ oid }) => oid)));
  for (const { id, kind } of intents) if (kind === 'exchange/place' || kind === 'exchange/close') await order(id, kind);
  executions();
  await protection();
  return wrong;

  async function order(id: Intent['id'], kind: string): Promise<void> {
    const { record, fills } = truth.ofOrder(id);
    const shown: OrderBody = (await trader.get(`${ORDERS}/${id}`)).body;
    const status = statusOf({ record, fills }, kind);
    same(`${id} status`, shown.status, status);
    if (status === 'rejected') return;
    const filled = sizeOf(fills);
    const price = shown.fill_price === null ? null : rounded(shown.fill_price);
    same(`${id} filled`, [rounded(shown.filled_size ?? Number.NaN), price], [filled, averageOf(fills)]);
    const names = (all: readonly { trade_id: string }[] = []) => all.map(({ trade_id }) => trade_id).sort();
    same(`${id} fills`, names(shown.fills), names(fills.map(({ tid }) => ({ trade_id: String(tid) }))));
    for (const exit of shown.exits ?? []) {
      const leg = exit.exit === 'take_profit' ? 'tp' : 'sl';
      const of = truth.ofExit(id, leg);
      same(`${id} ${leg} status`, exit.status, exitStatusOf(of, record?.status === 'open'));
      if (exit.filled_size !== null) same(`${id} ${leg} filled`, rounded(exit.filled_size), sizeOf(of.fills));
    }
    if (record?.status !== 'open' && shown.trigger_status === 'pending_parent_fill')
      wrong.push(`${id}: nothing is told of its exits`);
    if (kind === 'exchange/place') ofEvents(id, status, filled);
  }

  /** Each event says at least what was filled before, and the last one all. */
  function ofEvents(id: Intent['id'], status: string, filled: number): void {
    const told = dataOf('order.updated').filter(({ order_uuid }) => order_uuid === id);
    const sizes = told.flatMap(({ executed }) => (executed ? rounded(executed.filled_size) : []));
    same(
      `${id} order of events`,
      sizes,
      sizes.toSorted((a, b) => a - b),
    );
    const isOpen = truth.ofOrder(id).record?.status === 'open';
    const lifecycle = isOpen ? 'resting' : status === 'cancelled' ? 'cancelled' : 'filled';
    const last = told.findLast((event) => event.lifecycle !== null);
    same(`${id} last event`, [last?.lifecycle, sizes.at(-1)], [lifecycle, filled]);
  }

  /** Executions are told once each, in their order, with their cause; exits and liquidations with all that they executed. */
  function executions(): void {
    const moved = dataOf('position.updated');
    const signed = ({ side, size }: EventBody['data']) => rounded(side === 'short' ? -Number(size) : size);
    const told = moved.flatMap(({ fills }) => fills);
    same(
      'executions',
      told.map(({ trade_id }) => trade_id),
      truth.fills.map(({ tid }) => String(tid)),
    );
    for (const [n, event] of moved.entries()) {
      const before = moved[n - 1];
      same(`position before ${n}`, rounded(event.previous_size), before ? Math.abs(signed(before)) : 0);
    }
    same('position', moved.length > 0 ? signed(moved.at(-1) as EventBody['data']) : 0, rounded(truth.held)); // as: there is one
    const exits = new Map(
      intents.flatMap(({ id }) => LEGS.map((leg) => [legCloid(id, leg), EXIT_NAMES[leg]] as const)),
    );
    const ours = new Map(intents.map(({ id }) => [cloidOf(id), id] as const));
    const triggered = new Map<number, number>();
    for (const fill of truth.fills) {
      const { cloid = '', oid, tid, sz, liquidation } = fill;
      const exit = exits.get(cloid);
      const id = ours.get(cloid) ?? null;
      const cause = liquidation ? 'liquidation' : (exit ?? (id ? 'order' : 'elsewhere'));
      const one = told.find(({ trade_id }) => trade_id === String(tid));
      same(`execution ${tid}`, [one?.cause, one?.order_id], [cause, id]);
      if (exit) triggered.set(oid, rounded((triggered.get(oid) ?? 0) + Number(sz)));
    }
    const sums = new Map<number, number>();
    for (const { ex_order_id: oid, filled_size: size } of dataOf('exit.triggered'))
      sums.set(Number(oid), rounded((sums.get(Number(oid)) ?? 0) + Number(size)));
    same('triggered exits', [...sums].sort(), [...triggered].sort());
    const liquidated = sizeOf(dataOf('position.liquidated').map(({ liquidated_size: sz }) => ({ sz })));
    same('liquidated', liquidated, sizeOf(truth.fills.filter(({ liquidation }) => liquidation)));
  }

  /** A position is told as unprotected exactly if it is open and lacks an exit that is wanted of it. */
  async function protection(): Promise<void> {
    const told = events.filter(({ type }) => type.endsWith('protected'));
    const rows = await service.db.anyFirst(sql.type(z.object({ wanted: z.array(wantedEntry) }))`
      select wanted from wanted_exits where trader = ${trader.wallet}`);
    const wanted = rows.flat().filter(({ waits }) => waits !== true);
    const lacks = wanted.filter(
      (one) => !truth.isCovered('tp', one.take_profit) || !truth.isCovered('sl', one.stop_loss),
    );
    const isUnprotected = truth.held !== 0 && lacks.length > 0;
    same('unprotected', told.at(-1)?.type === 'position.unprotected', isUnprotected);
    const held: { symbol: string; side: string; size: string }[] = (await trader.get('/v1/positions/exvenue')).body;
    const shown = held.map(({ side, size }) => rounded(side === 'short' ? -Number(size) : size));
    same('positions', shown, truth.held === 0 ? [] : [rounded(truth.held)]);
  }
}

const EXIT_NAMES = { tp: 'take_profit', sl: 'stop_loss' } as const satisfies Record<Leg, string>;
const wantedEntry = z.object({
  take_profit: z.string().nullable(),
  stop_loss: z.string().nullable(),
  waits: z.boolean().optional(),
});

/** A close is filled if it has left nothing; an order that never rests, if nothing of what was asked for is missing. */
function statusOf({ record, fills }: Truth, kind: string): string {
  const last = fills.at(-1);
  if (!record || record.status.endsWith('Rejected')) return 'rejected';
  if (kind === 'exchange/close') return last ? (leftBy(last) === 0 ? 'filled' : 'partial') : 'rejected';
  if (record.status === 'open') return last ? 'partial' : 'open';
  if (record.order.tif === 'Ioc') return sizeOf(fills) < Number(record.order.origSz) ? 'partial' : 'filled';
  return record.status === 'filled' ? 'filled' : 'cancelled';
}

function exitStatusOf({ record }: Truth, isWaiting: boolean): string {
  if (!record) return 'none';
  if (record.status === 'open') return isWaiting ? 'waiting' : 'open';
  if (record.status === 'filled') return 'filled';
  return record.status.endsWith('Rejected') ? 'rejected' : 'cancelled';
}
