import { expect } from 'chai';
import fc from 'fast-check';
import { abandonAccount } from '../../src/capabilities/accounts/prop/commands.ts';
import { provisionAgain } from '../../src/capabilities/accounts/prop/intents.ts';
import { refundPayment } from '../../src/capabilities/payments/intents.ts';
import { requestPayout } from '../../src/capabilities/payouts/commands.ts';
import { reversePayout, submitPayout } from '../../src/capabilities/payouts/intents.ts';
import type { Mishap } from './mishaps.ts';
import { EARNED, PRICE } from './money-stage.ts';
import type { MoneySystem } from './money-system.ts';

const BY = { operator: 'admin:model', reason: 'the model says so', requestId: 'req_model' };

/** One step of a run, with its name in reports. */
export type Step = { run(system: MoneySystem): Promise<unknown>; [fc.toStringMethod](): string };
const step = (name: string, run: Step['run']): Step => ({ run, [fc.toStringMethod]: () => name });
/** What an operator or a trader asks for may be rejected: that is no failure. */
const tried = (work: Promise<unknown>) => work.catch((error) => expect(error).to.have.property('code'));

const cents = fc.constantFrom(100, 5_000, PRICE - 100, PRICE);
const index = fc.nat(50);
const newest = (system: MoneySystem, prefix: string) =>
  [...system.model.losses.keys()].findLast((id) => id.startsWith(prefix)) ?? 'none';

const bank = (to: string) =>
  step(`bank: ${to}`, (s) => s.control('payout', { id: [...s.model.bank.keys()].at(-1), to }));

/** Events at the processor, notifications of them, jobs of workers, and actions of operators and the trader. */
export const steps = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constant(step('is paid', (s) => s.control('payment', { id: s.intent, to: 'succeeded' }))),
  },
  ...(['refunded', 'disputed', 'inquired'] as const).map((to) =>
    cents.map((amount) =>
      step(`${to} ${amount}`, async (s) => {
        const left = PRICE - s.model.lost;
        if (s.model.received > 0 && amount <= left) await s.control('payment', { id: s.intent, to, amount });
      }),
    ),
  ),
  ...(
    [
      ['refund', 're_', 'failed'],
      ['refund', 're_', 'canceled'],
      ['dispute', 'du_', 'under_review'],
      ['dispute', 'du_', 'won'],
      ['dispute', 'du_', 'lost'],
    ] as const
  ).map(([what, prefix, to]) =>
    fc.constant(
      step(`${what} is ${to}`, async (s) => {
        const id = newest(s, prefix);
        if (s.model.losses.get(id)?.isLive && !s.ended.has(id)) await s.control(what, { id, to });
        if (to !== 'under_review') s.ended.add(id);
      }),
    ),
  ),
  fc.constantFrom('paid', 'failed', 'reversed').map((to) => bank(to)),
  index.map((n) => step(`notification ${n} is lost`, async (s) => s.lose(n))),
  fc
    .constantFrom(0, null)
    .map((available) => step(`the platform has ${available ?? 'enough'}`, (s) => s.control('settings', { available }))),
  {
    weight: 1,
    arbitrary: fc.constant(
      step('the trader leaves the platform', (s) => {
        s.isGone = true;
        return s.control('account', { id: s.connected, to: 'deauthorized' });
      }),
    ),
  },
  fc.constantFrom(100, 20_000).map((amount) => step(`transfer reversed by session: ${amount}`, (s) => back(s, amount))),
  {
    weight: 8,
    arbitrary: fc
      .tuple(index, fc.boolean())
      .map(([n, again]) => step(`event ${n} ${again}`, (s) => s.deliver(n, again))),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom<Mishap>('none', 'none', 'lost', 'killed')
      .map((mishap) => step(`worker, ${mishap}`, (s) => s.work(mishap))),
  },
  { weight: 3, arbitrary: fc.constant(step('sync', (s) => s.sync())) },
  { weight: 2, arbitrary: fc.constant(step('money arrives', (s) => s.arrive())) },
  fc.boolean().map((no) =>
    step(`network rejects accounts: ${no}`, async (s) => {
      s.rejectsAccounts = no;
    }),
  ),
  fc.constant(step('operator refunds', (s) => tried(refundPayment(s.db, s.payment, BY, 600_000)))),
  fc.constant(step('operator reinstates', (s) => s.reinstate())),
  ...(['provisions again', 'abandons'] as const).map((what) =>
    fc.constant(
      step(`operator ${what}`, async (s) => {
        const id = (await s.account())?.id ?? 'none';
        await tried(what === 'abandons' ? abandonAccount(s.db, id, BY) : provisionAgain(s.db, id, BY, 600_000));
      }),
    ),
  ),
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(10_000, 30_000, EARNED)
      .map((amount) => step(`trader requests ${amount}`, (s) => request(s, amount))),
  },
  { weight: 4, arbitrary: index.map((n) => step(`trader submits ${n}`, (s) => submitOne(s, n))) },
  index.map((n) =>
    step(`operator reverses ${n}`, async (s) => {
      const id = s.payouts[n % Math.max(1, s.payouts.length)];
      if (id) await tried(reversePayout({ ...BY, db: s.db, deadlineMs: 600_000 }, id, BY.reason));
    }),
  ),
);

async function back(s: MoneySystem, amount: number): Promise<void> {
  const [id, transfer] = [...s.model.transfers].at(-1) ?? [];
  const left = transfer ? transfer.cents - transfer.reversed : 0;
  if (left > 0) await s.control('transfer', { id, amount: Math.min(amount, left) });
}

async function request(s: MoneySystem, amountCents: number): Promise<void> {
  const account = await s.account();
  if (!account) return;
  const wanted = {
    accountId: account.id,
    connectAccountId: s.connected,
    amountCents,
    currency: 'usd',
    earnedCents: EARNED,
    sessionId: `uss_${s.user}`,
  };
  const id = await tried(requestPayout(s.db, wanted));
  if (typeof id === 'string') s.payouts.push(id);
}

async function submitOne(s: MoneySystem, n: number): Promise<void> {
  const id = s.payouts[n % Math.max(1, s.payouts.length)];
  const context = { context: { owner: s.app, digest: '00', request_id: 'req_model' }, deadlineMs: 600_000 };
  if (id)
    await tried(submitPayout(s.db, context, s.user, { id, earnedCents: EARNED, holdH: 0, sessionId: `uss_${s.user}` }));
}

const paid = step('is paid', (s) => s.control('payment', { id: s.intent, to: 'succeeded' }));
const caughtUp = step('catches up', async (s) => {
  await s.catchUp(false);
  await s.work();
  await s.sync();
});
const trades = [paid, caughtUp];
const requested = [
  ...trades,
  step('trader requests', (s) => request(s, 30_000)),
  step('submits', (s) => submitOne(s, 0)),
];
const sent = [...requested, caughtUp, caughtUp, step('money arrives', (s) => s.arrive()), caughtUp];
const returned = [...sent, bank('paid'), caughtUp, bank('failed')];
const unheard = [...returned, step('its notification is lost', async (s) => s.lose(s.pending.length - 1))];
const halved = [...requested, caughtUp, step('a part comes back', (s) => back(s, 20_000))];
const taken = [...requested, caughtUp, step('all of it comes back', (s) => back(s, EARNED)), caughtUp];
const disputed = step('disputed 5000', (s) => s.control('payment', { id: s.intent, to: 'disputed', amount: 5_000 }));

/** Where a run begins: most of what can go wrong needs an account that trades, or a payout under way. */
export const openings = fc.constantFrom<Step[]>(
  [],
  [paid],
  trades,
  [...trades, disputed, caughtUp],
  [...trades, disputed, caughtUp, step('reinstates', (s) => s.reinstate()), caughtUp],
  requested,
  [...requested, caughtUp, caughtUp],
  sent,
  returned,
  unheard,
  halved,
  taken,
);

/** Where the trader is paid, and in which currency the account was bought: one with decimals, or without. */
export const people = fc.record({
  country: fc.constantFrom('US', 'DE', 'GB', 'CA'),
  currency: fc.constantFrom('usd', 'eur', 'jpy'),
});
