import { expect } from 'chai';
import fc from 'fast-check';
import { sql } from 'slonik';
import { z } from 'zod';
import type { OpenOrder } from '../../src/venues/exchange/adapter/types.ts';
import type { Caller } from '../support/caller.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { startService, type TestService } from '../support/service.ts';

type Wallet = Caller & { wallet: string };
type Exit = { leg: 'tp' | 'sl'; price: string };
/** What rests at the venue by the commands that succeeded: exits in force, and orders with the exits they bring. */
type Model = { exits: Exit[]; orders: { oid: string; exits: Exit[] }[]; holds: boolean };

type Prices = { tp: number | null; sl: number | null };
type Step =
  | ({ do: 'order' | 'half' | 'market' | 'replace' } & Prices)
  | { do: 'fill' | 'cancelAll' | 'close' | 'watch' }
  | { do: 'cancelExit' | 'cancelOrder'; which: number };

const prices = fc.record({
  tp: fc.option(fc.integer({ min: 110_000, max: 119_000 })),
  sl: fc.option(fc.integer({ min: 81_000, max: 90_000 })),
});
const named = (...names: ('order' | 'half' | 'market' | 'replace')[]) =>
  fc.tuple(fc.constantFrom(...names), prices).map(([name, exits]) => ({ do: name, ...exits }));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: named('order', 'half', 'market', 'replace', 'replace') },
    { weight: 4, arbitrary: fc.constantFrom('fill', 'watch', 'watch').map((name) => ({ do: name })) },
    { weight: 1, arbitrary: fc.constantFrom('cancelAll', 'close').map((name) => ({ do: name })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('cancelExit', 'cancelOrder'), fc.nat(9))
        .map(([name, which]) => ({ do: name, which })),
    },
  ) as fc.Arbitrary<Step>, // as: the names above are those of the steps
  { minLength: 6, maxLength: 12 },
);

const exitsOf = ({ tp, sl }: Prices): Exit[] => [
  ...(tp === null ? [] : [{ leg: 'tp' as const, price: String(tp) }]),
  ...(sl === null ? [] : [{ leg: 'sl' as const, price: String(sl) }]),
];
const shown = (exits: Exit[]) => exits.map(({ leg, price }) => `${leg} ${price}`).sort();

describe('exits obey the newest command', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { EXVENUE_READ_LAG_MS: '3000' } });
  });
  after(() => service.stop());

  it('in any order of fills, replacements, cancellations, closings and looks of the watch', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0, 300), async (taken, behindMs) => {
        service.exchange.setBehind(behindMs);
        const trader = await service.wallet();
        const model: Model = { exits: [], orders: [], holds: false };

        for (const step of taken) await take(trader, model, step);
        service.exchange.setBehind(0);
        await readWallets(service);
        await settled();

        const open = await openOn(trader);
        const resting = open.flatMap(({ exit, triggerPrice, reduceOnly }) =>
          exit && triggerPrice && reduceOnly ? [{ leg: exit, price: triggerPrice }] : [],
        );
        expect(shown(resting)).to.deep.equal(shown(model.exits));
        expect(await shownExits(trader)).to.not.include('partial_failure');
      }),
      { numRuns: 5 },
    );
  }).timeout(120_000);

  /** Carries out a step and changes the model if it succeeded. */
  async function take(trader: Wallet, model: Model, step: Step): Promise<void> {
    switch (step.do) {
      case 'order':
      case 'half':
      case 'market':
        return submit(trader, model, step);
      case 'replace':
        return replace(trader, model, step);
      case 'fill':
        service.exchange.setMid('BTC', '98900');
        service.exchange.setMid('BTC', '100000');
        for (const { exits } of model.orders.splice(0)) {
          model.exits.push(...exits);
          model.holds = true;
        }
        return;
      case 'cancelAll':
        return cancelAll(trader, model);
      case 'close':
        return close(trader, model);
      case 'watch':
        return readWallets(service);
      case 'cancelExit':
      case 'cancelOrder':
        return cancelOne(trader, model, step);
    }
  }

  /** An order: resting below the market, half filled at once with its rest in the book, or filled at once. */
  async function submit(trader: Wallet, model: Model, { do: how, tp, sl }: Extract<Step, Prices>): Promise<void> {
    const terms = {
      order: { size: '0.01', order_type: 'limit', price: 99_000 },
      half: { size: '0.0505', order_type: 'limit', price: 100_100 },
      market: { size: '0.01', order_type: 'market' },
      replace: {},
    }[how];
    const exits = { ...(tp !== null && { take_profit: tp }), ...(sl !== null && { stop_loss: sl }) };
    const reply = await trader.post('/v1/orders/exvenue', { pair: 'BTC', side: 'long', ...terms, ...exits });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    if (how !== 'order') model.holds = true;
    if (how === 'market') model.exits.push(...exitsOf({ tp, sl }));
    else model.orders.push({ oid: reply.body.ex_order_id, exits: exitsOf({ tp, sl }) });
  }

  async function replace(trader: Wallet, model: Model, { tp, sl }: Prices): Promise<void> {
    if (tp === null && sl === null) return;
    const exits = { ...(tp !== null && { take_profit: tp }), ...(sl !== null && { stop_loss: sl }) };
    const reply = await trader.post('/v1/orders/exvenue/tp-sl', { pair: 'BTC', ...exits });
    await settled();
    if (reply.status !== 200) return;
    expect(reply.body.trigger_status).to.equal('placed');
    const replaced = exitsOf({ tp, sl });
    model.exits = [...model.exits.filter(({ leg }) => !replaced.some((exit) => exit.leg === leg)), ...replaced];
  }

  async function cancelAll(trader: Wallet, model: Model): Promise<void> {
    await settled();
    const reply = await trader.delete('/v1/orders/exvenue');
    expect(reply.body.failed_count, JSON.stringify(reply.body)).to.equal(0);
    [model.exits, model.orders] = [[], []];
  }

  async function close(trader: Wallet, model: Model): Promise<void> {
    await caughtUp();
    const reply = await trader.post('/v1/orders/exvenue/close', { pair: 'BTC' });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(model.holds ? 200 : 409);
    if (model.holds) model.exits = [];
    model.holds = false;
  }

  async function cancelOne(
    trader: Wallet,
    model: Model,
    { do: what, which }: Extract<Step, { which: number }>,
  ): Promise<void> {
    await settled();
    const open = await openOn(trader);
    const candidates = open.filter(({ exit }) => (exit !== null) === (what === 'cancelExit'));
    const order = candidates[which % Math.max(1, candidates.length)];
    if (!order) return;
    const reply = await trader.delete(`/v1/orders/exvenue/${order.oid}`);
    if (reply.body.cancelled_count !== 1) return;
    const at = model.exits.findIndex(({ leg, price }) => leg === order.exit && price === order.triggerPrice);
    if (what === 'cancelExit') model.exits.splice(at, 1);
    model.orders = model.orders.filter(({ oid }) => oid !== String(order.oid));
  }

  /** Lets reads catch up with what has happened. */
  async function caughtUp(): Promise<void> {
    await settled();
    service.exchange.setBehind(0);
  }

  /** The live orders. Exits that wait for their order's fill are listed too; they belong to the order. */
  async function openOn({ wallet }: Wallet): Promise<OpenOrder[]> {
    const open = await exchangeOf(service).openOrders(wallet);
    if (open.kind === 'unreadable') throw new Error(open.why);
    return open.kind === 'found' ? open.data.filter(({ parentOid }) => parentOid === null) : [];
  }

  const shownExits = async ({ wallet }: Wallet) =>
    service.db.anyFirst(sql.type(z.object({ trigger_status: z.string() }))`
      select executed ->> 'trigger_status' trigger_status
      from orders
      where trader = ${wallet}`);

  /** Waits until the follow-up intents have ended too. */
  async function settled(): Promise<void> {
    while (await service.db.exists(sql.unsafe`select from intents where settled_at is null`)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});
