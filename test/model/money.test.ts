import { expect } from 'chai';
import fc from 'fast-check';
import { sql } from 'slonik';
import { z } from 'zod';
import { abandonAccount } from '../../src/capabilities/accounts/prop/commands.ts';
import { provisionAgain } from '../../src/capabilities/accounts/prop/intents.ts';
import { refundPayment } from '../../src/capabilities/payments/intents.ts';
import { requestPayout } from '../../src/capabilities/payouts/commands.ts';
import { reversePayout, submitPayout } from '../../src/capabilities/payouts/intents.ts';
import type { Mishap } from './mishaps.ts';
import { EARNED, openStage, PRICE, type Stage } from './money-stage.ts';
import { MoneySystem } from './money-system.ts';

const RUNS = Number(process.env.MONEY_RUNS ?? 300); // 10,000 for the figures of the promise
const AT_ONCE = 6;
const BY = { operator: 'admin:model', reason: 'the model says so', requestId: 'req_model' };

type Step = { run(system: MoneySystem): Promise<unknown>; [fc.toStringMethod](): string };
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
const steps = fc.oneof(
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
  fc.constantFrom('paid', 'failed').map((to) => bank(to)),
  fc.constantFrom(100, 20_000).map((amount) =>
    step(`transfer reversed by session: ${amount}`, async (s) => {
      const [id, transfer] = [...s.model.transfers].at(-1) ?? [];
      if (transfer && transfer.reversed + amount <= transfer.cents) await s.control('transfer', { id, amount });
    }),
  ),
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

async function request(s: MoneySystem, amountCents: number): Promise<void> {
  const account = await s.account();
  if (!account) return;
  const wanted = {
    accountId: account.id,
    connectAccountId: s.connected,
    amountCents,
    currency: 'usd',
    earnedCents: EARNED,
    sessionId: 'uss_model',
  };
  const id = await tried(requestPayout(s.db, wanted));
  if (typeof id === 'string') s.payouts.push(id);
}

async function submitOne(s: MoneySystem, n: number): Promise<void> {
  const id = s.payouts[n % Math.max(1, s.payouts.length)];
  const context = { context: { owner: s.app, digest: '00', request_id: 'req_model' }, deadlineMs: 600_000 };
  if (id) await tried(submitPayout(s.db, context, s.user, { id, earnedCents: EARNED, holdH: 0 }));
}

/** Everything that was lost is found by reconciliation, and every job runs. */
async function settle(s: MoneySystem): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    await s.catchUp(round % 2 === 1);
    const open = await s.work();
    await s.sync();
    await s.readArrivals();
    await s.arrive();
    if (open === 0 && s.pending.length === 0 && !(await s.isOpen())) return;
  }
  throw new Error('It does not come to rest');
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
const disputed = step('disputed 5000', (s) => s.control('payment', { id: s.intent, to: 'disputed', amount: 5_000 }));

/** Where a run begins: most of what can go wrong needs an account that trades, or a payout under way. */
const openings = fc.constantFrom<Step[]>(
  [],
  [paid],
  trades,
  [...trades, disputed, caughtUp],
  [...trades, disputed, caughtUp, step('reinstates', (s) => s.reinstate()), caughtUp],
  requested,
  [...requested, caughtUp, caughtUp],
  sent,
  returned,
);

/** Where the trader is paid, and in which currency the account was bought: one with decimals, or without. */
const people = fc.record({
  country: fc.constantFrom('US', 'DE', 'GB', 'CA'),
  currency: fc.constantFrom('usd', 'eur', 'jpy'),
});

const TRADES = ['evaluation', 'funded'];
const atRestRow = z.object({ held: z.number(), is_listed: z.boolean(), is_stranded: z.boolean() });

function holdsAlways(s: MoneySystem): void {
  expect(s.model.paidOut, 'paid out').to.be.at.most(EARNED);
}

async function holdsAtRest(s: MoneySystem): Promise<void> {
  const { model } = s;
  const account = await s.account();
  const figures = await s.db.one(sql.type(atRestRow)`
    select m.held_cents as held,
      exists (select from list_unfulfilled_payments(-1) u where u.payment_id = ${s.payment}) as is_listed,
      exists (select from list_stranded_payouts() l where l.user_id = ${s.user}) as is_stranded
    from payments p
    cross join lateral payment_money(p) m
    where p.id = ${s.payment}`);
  expect(figures.held, 'money held').to.equal(model.held);
  expect(await s.unpayable(), 'legs of money that was not there').to.equal(0);
  expect(await s.differences(), 'the ledger and the processor').to.deep.equal([]);
  expect(account?.accounts ?? 0, 'accounts').to.equal(model.received > 0 ? 1 : 0);
  const trades = TRADES.includes(account?.status ?? '');
  if (trades) expect(model.mayTrade, 'a tradeable account has its money, or an operator said so').to.equal(true);
  if (model.received > 0 && model.lost === 0 && account)
    expect(account.status, 'what came back gives the account back').not.to.equal('eliminated');
  expect(figures.is_listed, 'kept and serves nobody').to.equal(model.held > 0 && !trades);
  const isAway = [...model.bank.values()].some((status) => ['pending', 'in_transit'].includes(status));
  const paid = [...model.bank.values()].includes('paid');
  if (model.paidOut > 0 && !isAway && !paid) expect(figures.is_stranded, 'stranded').to.equal(true);
  if (model.paidOut === 0) expect(figures.is_stranded, 'not stranded').to.equal(false);
}

describe('money, in random interleavings of events, operators and kills', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  it('is never paid out twice, never serves two accounts or none unlisted', async function () {
    this.timeout(RUNS * 2_000);
    const startedAt = Date.now();
    const property = fc.asyncProperty(
      people,
      openings,
      fc.array(steps, { minLength: 2, maxLength: 12 }),
      async (person, opening, chosen) => {
        const system = await new MoneySystem(stage, person).open();
        for (const { run } of [...opening, ...chosen]) {
          await run(system);
          holdsAlways(system);
        }
        await settle(system);
        holdsAlways(system);
        await holdsAtRest(system);
      },
    );

    const seed = Number(process.env.MONEY_SEED ?? Date.now());
    const each = Math.ceil(RUNS / AT_ONCE);
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => fc.assert(property, { numRuns: each, seed: seed + n })),
    );

    console.log(`      ${each * AT_ONCE} runs from seed ${seed} in ${Date.now() - startedAt} ms`);
  });
});
