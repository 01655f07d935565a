import { sql } from 'slonik';
import { z } from 'zod';
import { idSchema } from '../../src/kernel/ids.ts';
import { type Command, isNaked } from './network-exits.ts';
import type { Living } from './network-steps.ts';
import { type OrderTruth, priceOf, quantityOf, rounded, truthOf } from './network-truth.ts';
import type { SentSignal, Wire } from './network-wire.ts';

const ORDERS = '/v1/orders/netvenue';

const request = z.looseObject({ trade_pair: z.string().optional(), target: idSchema.order.optional() });
const rowOf = z.object({ id: idSchema.intent, name: idSchema.order, kind: z.string(), request });
type Row = z.infer<typeof rowOf>;

type Executed = { quantity: number | null; price: number | null };
type OrderBody = {
  order_uuid: string;
  status: string;
  lifecycle: string | null;
  executed: Executed | null;
  protection: string;
  quantity: number | null;
  limit_price: number | null;
  stop_loss: number | null;
  take_profit: number | null;
};
type IntentBody = {
  state: string;
  effect: string;
  result: { success: boolean; lifecycle: string | null; executed: Executed | null; order_uuid: string } | null;
  problem: { code: string; reason?: string } | null;
};
type EventBody = {
  type: string;
  data: {
    intent_id: string | null;
    order_uuid: string;
    pair: string;
    status: string;
    lifecycle: string | null;
    executed: Executed | null;
  };
};
type Line = { reference: string; quantity: string | null; side: string };

/** What is told of a trader otherwise than it is, once nothing is under way. */
export async function differences(wire: Wire, { trader, pairs, faults }: Living): Promise<string[]> {
  const { service } = wire;
  const wrong: string[] = faults.map(({ body }) => `a fault: ${JSON.stringify(body)}`);
  const same = (what: string, told: unknown, is: unknown): void => {
    const [a, b] = [JSON.stringify(told), JSON.stringify(is)];
    if (a !== b) wrong.push(`${what}: told ${a}, is ${b}`);
  };
  const truth = await truthOf(service, trader.traderId);
  const events: EventBody[] = (await trader.get('/v1/events?limit=500')).body;
  const lines: Line[] = (await trader.get('/v1/statements?kind=fill&limit=500')).body;
  const rows = await service.db.any(sql.type(rowOf)`
    select i.id, coalesce(i.given_id, i.id) as name, i.kind, i.request
    from intents i
    where i.request ->> 'subaccount_id' = ${trader.traderId} and i.kind like 'network/%'
    order by i.position`);
  const bodies = new Map<string, IntentBody>();
  for (const { id } of rows) bodies.set(id, (await trader.get(`/v1/intents/${id}`)).body);
  for (const row of rows) await verb(row);
  await positions();
  return wrong;

  async function verb(row: Row): Promise<void> {
    const body = bodies.get(row.id) as IntentBody; // as: of every row
    const sent = wire.signalsOf(trader.traderId).filter(({ intent }) => intent === row.id);
    const acted = sent.filter(({ done }) => done.length > 0);
    const about = `${row.kind} ${row.id} (${body.state} ${body.problem?.code ?? ''} ${body.problem?.reason ?? ''})`;
    if (acted.length > 1) wrong.push(`${about} acted ${acted.length} times`);
    if (body.effect === 'none' && didSomething(row, acted)) wrong.push(`${about}: nothing is told of what it did`);
    if (body.effect === 'done' && acted.length === 0 && !wasNeedless(row, body, sent))
      wrong.push(`${about}: it did nothing`);
    if (body.effect === 'unknown' && isProvable(row)) wrong.push(`${about}: its effect is not told`);
    const own = events.filter(({ type, data }) => type === 'order.updated' && data.intent_id === row.id);
    same(
      `${about} events`,
      own.map(({ data }) => data.status),
      [body.state === 'succeeded' ? 'completed' : 'failed'],
    );
    if (row.kind === 'network/place') await order(row.id, row.name, about);
    if (row.kind === 'network/close') closed(row, body, acted);
    if (row.kind === 'network/protect' && body.result?.order_uuid === row.name) await order(row.id, row.name, about);
    if (row.kind === 'network/cancel' && body.result) {
      const is = truthFor(row.request.target).lifecycle;
      const isSame = body.result.lifecycle === is || (body.result.lifecycle === 'cancelled' && is === 'ended');
      if (!isSame) wrong.push(`${about}: told ${body.result.lifecycle}, is ${is}`);
    }
  }

  /** The truth of an order by its id here: exits that changed those of an order go on under the uuid of these. */
  function truthFor(id = ''): OrderTruth {
    return truth.ofOrder(handleOf(id));
  }

  function handleOf(id: string): string {
    const placed = wire.signalsOf(trader.traderId).find(({ intent }) => intent === id);
    return placed?.signal.order_uuid ?? id;
  }

  /** An order that the network ended as it took it was never there, unless an edit is told of. */
  function didSomething({ id, kind }: Row, acted: readonly SentSignal[]): boolean {
    const isNew =
      kind === 'network/place' || (kind === 'network/protect' && acted[0]?.signal.execution_type === 'BRACKET');
    const { lifecycle } = truthFor(id);
    return acted.length > 0 && !(isNew && lifecycle === 'cancelled' && acted.some(({ isEnded }) => isEnded));
  }

  /** What a verb asks for may be so already, or have been done by somebody else. */
  function wasNeedless(
    { kind, request: { target } }: Row,
    { result }: IntentBody,
    sent: readonly SentSignal[],
  ): boolean {
    const signal = sent.at(-1)?.signal;
    if (kind === 'network/place') return signal?.order_type === 'FLAT' && result?.executed == null;
    if (kind === 'network/cancel') return truthFor(target).lifecycle !== 'resting';
    if (kind === 'network/close') return true; // see `closed`
    const now = [...truth.listed.unfilled, ...truth.listed.filled, ...truth.listed.cancelled];
    const order = now.find(({ order_uuid }) => order_uuid === signal?.order_uuid);
    const entry = signal?.bracket_orders?.find(({ order_uuid }) => order_uuid === signal.order_uuid);
    return kind === 'network/protect' && order?.stop_loss === (entry?.stop_loss ?? null);
  }

  /** Whether records show what a verb did: all but those of orders that have ended, of edits. */
  function isProvable({ kind, request: { target } }: Row): boolean {
    return !(kind === 'network/edit' && truthFor(target).lifecycle !== 'resting') && kind !== 'network/protect';
  }

  async function order(id: string, name: string, about: string): Promise<void> {
    const is = truthFor(id);
    const shown: OrderBody = (await trader.get(`${ORDERS}/${name}`)).body;
    const isRefused = shown.status === 'failed' && (is.lifecycle === 'none' || is.lifecycle === 'cancelled');
    const isNothing = shown.status === 'completed' && shown.lifecycle === null && is.lifecycle === 'none';
    if (!isRefused && !isNothing) {
      same(`${about} status`, [shown.status, shown.lifecycle], ['completed', is.lifecycle]);
      terms(shown, is, about);
    }
    same(
      `${about} executed`,
      executedOf(shown.executed),
      is.fills.length > 0 ? [quantityOf(is.fills), priceOf(is.fills)] : null,
    );
    ofEvents(name, is, about);
    const stated = lines.filter(({ reference }) => reference === name);
    const size = stated.reduce((sum, { quantity, side }) => sum + (side === 'SHORT' ? -1 : 1) * Number(quantity), 0);
    same(`${about} statement`, rounded(size), quantityOf(is.fills));
  }

  function terms(shown: OrderBody, { lifecycle, order: at }: OrderTruth, about: string): void {
    if (lifecycle !== 'resting' || !at) return;
    const own = ({ key }: { key: string }) => key === at.order_uuid || `${key}-limit` === at.order_uuid;
    const last = wire.signalsOf(trader.traderId).findLast(({ done, signal }) => done.some(own) && signal.quantity);
    if (last && shown.quantity !== null) same(`${about} size`, shown.quantity, last.signal.quantity);
    same(
      `${about} prices`,
      [shown.limit_price, shown.stop_loss, shown.take_profit],
      [at.limit_price, at.stop_loss, at.take_profit],
    );
  }

  /** The last event of an order says how it ended, and what was executed. */
  function ofEvents(name: string, { lifecycle, fills }: OrderTruth, about: string): void {
    const own = events.filter(({ type, data }) => type === 'order.updated' && data.order_uuid === name);
    const last = own.findLast(({ data }) => data.lifecycle !== null)?.data;
    if (lifecycle === 'filled')
      same(
        `${about} last event`,
        [last?.lifecycle, executedOf(last?.executed)],
        ['filled', [quantityOf(fills), priceOf(fills)]],
      );
    else if (last) same(`${about} last event`, last.lifecycle, lifecycle);
    const ends = own.filter(({ data, type }) => type !== '' && data.lifecycle !== null && data.lifecycle !== 'resting');
    const twice = ends.filter(
      ({ data }, n) => n > 0 && data.intent_id === null && ends[n - 1]?.data.lifecycle === data.lifecycle,
    );
    if (twice.length > 0 && fills.length < 2) wrong.push(`${about}: its end is told ${ends.length} times`);
  }

  function closed({ id }: Row, { result, state }: IntentBody, acted: readonly SentSignal[]): void {
    const target = wire.signalsOf(trader.traderId).findLast(({ intent }) => intent === id);
    const entries = acted.flatMap(({ done }) => done);
    if (result && entries.length > 0)
      same(`close ${id} executed`, executedOf(result.executed), [quantityOf(entries), priceOf(entries)]);
    if (state === 'succeeded' && target?.signal.execution_type === 'FLAT_ALL' && truth.isOpen(target.signal.order_uuid))
      wrong.push(`close ${id}: the position is open`);
  }

  /** The verbs that took effect, oldest first. */
  function commands(): Command[] {
    return rows.flatMap(({ id, kind, request: asked }) => {
      const { state, result } = bodies.get(id) as IntentBody; // as: of every row
      const sent = wire.signalsOf(trader.traderId).filter(({ intent }) => intent === id);
      const command = { id, kind, handle: handleOf(asked.target ?? id), sent, lifecycle: result?.lifecycle ?? null };
      return state === 'succeeded' ? [{ ...command, request: asked as Command['request'] }] : []; // as: its kind's
    });
  }

  /** A position is told as unprotected exactly if it is open and lacks an exit that is wanted of it. */
  async function positions(): Promise<void> {
    const shown: { symbol: string; side: string; size: string }[] = (await trader.get('/v1/positions/netvenue')).body;
    for (const pair of pairs) {
      const held = truth.heldIn(pair);
      const one = shown.find(({ symbol }) => symbol.replace(/[^A-Za-z]/g, '') === pair);
      const isRepeated = new Set(truth.fills.map(({ key }) => key)).size < truth.fills.length;
      if (!isRepeated)
        same(`position in ${pair}`, one ? rounded(one.side === 'short' ? -Number(one.size) : one.size) : 0, held);
      const told = events.findLast(({ type, data }) => type.endsWith('protected') && data.pair === pair)?.type;
      same(`${pair} unprotected`, told === 'position.unprotected', isNaked(truth, pair, commands()));
    }
  }
}

const executedOf = (executed: Executed | null | undefined) =>
  executed?.quantity == null ? null : [rounded(executed.quantity), rounded(executed.price)];
