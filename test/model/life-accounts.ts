import { sql } from 'slonik';
import { z } from 'zod';
import { tier25k, tierDemo } from '../support/money.ts';
import type { Act, Reply } from './life-act.ts';
import { passes, said } from './life-says.ts';
import {
  type Account,
  happens,
  mayTrade,
  moves,
  type Payment,
  type State,
  type Status,
  unlike,
  userOf,
} from './life-state.ts';
import type { World } from './life-world.ts';

const openedRow = z.object({ id: z.string(), subaccount: z.number().nullable() });

/** The credentials of a user: mostly valid ones. */
export const callers = (world: World, who: number, n: number) => ({
  token: world.token(userOf(world.now, who).app),
  session: world.session(who, n) ?? 'sess_none',
});
/** Something was done at an upstream. */
export const done = (body: unknown = null): Reply => ({ status: 200, code: undefined, body, isReplay: false });
/** The one of a list that `n` chooses. */
export const within = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];

/** What people buy, what becomes of it at the processor and the network, and what operators do about it. */
export const accountActs = {
  open: (world: World, who: number, n: number): Act => {
    const { token, session } = callers(world, who, n);
    return {
      name: `open ${who}`,
      request: { as: 'caller', method: 'POST', path: '/v2/payments/free', json: tierDemo, token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        said(reply, 200, { tier_id: tierDemo.tier_id, processor_payment_intent_id: null });
        const user = userOf(s, who);
        const had = user.accounts.find(({ tier }) => tier === tierDemo.tier_id);
        if (had) return void said(reply, 200, { id: had.id, status: had.status });
        opened(s, who, null, reply.body);
        said(reply, 200, { status: user.accounts.at(-1)?.status });
      },
    };
  },

  checkOut: (world: World, who: number, n: number): Act => {
    const { token, session } = callers(world, who, n);
    return {
      name: `checkOut ${who}`,
      request: { as: 'caller', method: 'POST', path: '/v2/payments/checkout', json: tier25k, token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        said(reply, 200, { amount_cents: tier25k.amount_cents, currency: 'usd', status: 'requires_payment_method' });
        const { payment_id: id, processor_payment_intent_id: processorId, status } = reply.body;
        if (s.users.some(({ payments }) => payments.some((each) => each.id === id))) unlike('a payment of before');
        userOf(s, who).payments.push({ id, processorId, status, account: null });
      },
    };
  },

  pay: (world: World, who: number, n: number): Act | null => {
    const payment = within(userOf(world.now, who).payments.filter(isOpen), n);
    if (!payment) return null;
    return {
      name: `pay ${who}`,
      async request() {
        await world.stage.service.control('payment', { id: payment.processorId, to: 'succeeded' });
        await world.rest();
        return done(await openedBy(world, payment));
      },
      explain(s, { body }) {
        const user = userOf(s, who);
        const mine = user.payments.find(({ id }) => id === payment.id);
        const [account] = body;
        if (!mine || body.length !== 1) unlike(`${body.length} accounts for one payment`);
        const data = { payment_id: mine.id, user_id: user.id, processor_payment_intent_id: mine.processorId };
        happens(s, user.app, 'payment.succeeded', mine.id, data);
        Object.assign(mine, { status: 'succeeded', account: account.id });
        opened(s, who, mine.id, { id: account.id, subaccount_id: account.subaccount });
      },
    };
  },

  decline: (world: World, who: number, n: number): Act | null => {
    const payment = within(userOf(world.now, who).payments.filter(isOpen), n);
    if (!payment) return null;
    return {
      name: `decline ${who}`,
      request: () => happening(world, 'payment', { id: payment.processorId, to: 'declined' }),
      explain(s) {
        const user = userOf(s, who);
        happens(s, user.app, 'payment.failed', payment.id, { payment_id: payment.id, user_id: user.id });
      },
    };
  },

  lose: (world: World, who: number, n: number): Act | null => {
    const payment = within(
      userOf(world.now, who).payments.filter(({ status }) => status === 'succeeded'),
      n,
    );
    if (!payment) return null;
    const to = n % 2 ? 'disputed' : 'refunded';
    return {
      name: `lose ${who}: ${to}`,
      request: () => happening(world, 'payment', { id: payment.processorId, to }),
      explain(s) {
        const { user, mine, account } = boughtBy(s, who, payment);
        mine.status = to;
        happens(s, user.app, `payment.${to}`, mine.id, { payment_id: mine.id, user_id: user.id });
        if (!mayTrade(account)) return;
        account.resumes = account.status;
        moves(s, user, account, 'eliminated', account.status);
      },
    };
  },

  endDispute: (world: World, who: number, n: number): Act | null => {
    const payment = within(
      userOf(world.now, who).payments.filter(({ status }) => status === 'disputed'),
      n,
    );
    const id = payment && disputeOf(world, payment);
    if (!id) return null;
    const to = n % 2 ? 'won' : 'lost';
    return {
      name: `endDispute ${who}: ${to}`,
      request: () => happening(world, 'dispute', { id, to }),
      explain(s) {
        const { user, mine, account } = boughtBy(s, who, payment);
        mine.status = to === 'won' ? 'succeeded' : 'disputed for good';
        happens(s, user.app, `payment.dispute_${to}`, mine.id, { payment_id: mine.id, user_id: user.id });
        if (to === 'won' && account.resumes) resumed(s, who, account);
      },
    };
  },
};

const isOpen = ({ status }: Payment): boolean => status === 'requires_payment_method';
/** What becomes of an account that the network is asked for. */
export const created = ({ network }: State): Status => (network === 'works' ? 'evaluation' : 'subaccount_failed');

/** An account is created: told as it begins, and as it ends. */
function opened(
  s: State,
  who: number,
  payment: string | null,
  { id, subaccount_id }: { id: string; subaccount_id: number | null },
): void {
  const user = userOf(s, who);
  if (s.users.some(({ accounts }) => accounts.some((each) => each.id === id))) unlike('an account of before');
  const tier = payment ? tier25k.tier_id : tierDemo.tier_id;
  const account: Account = { id, tier, status: 'provisioning', subaccount: subaccount_id, payment, resumes: null };
  user.accounts.push(account);
  moves(s, user, account, 'provisioning', null);
  moves(s, user, account, created(s), 'provisioning');
}

/** The money of an account is back, or an operator accepts that it is not. */
export function resumed(s: State, who: number, account: Account): void {
  const to = account.resumes ?? unlike('nothing to resume');
  account.resumes = null;
  moves(s, userOf(s, who), account, 'provisioning', 'eliminated'); // it is compared with the network before it trades
  moves(s, userOf(s, who), account, to, 'provisioning');
}

function boughtBy(s: State, who: number, { id }: Payment) {
  const user = userOf(s, who);
  const mine = user.payments.find((each) => each.id === id) ?? unlike('no such payment');
  const account = user.accounts.find((each) => each.payment === id) ?? unlike('paid without an account');
  return { user, mine, account };
}

/** Something happens at the processor, and the service is told. */
async function happening(world: World, what: string, body: object): Promise<Reply> {
  await world.stage.service.control(what, body);
  await world.rest();
  return done();
}

const openedBy = ({ stage }: World, { id }: Payment) =>
  stage.service.db.any(sql.type(openedRow)`
    select a.id, s.subaccount_id as subaccount
    from prop_accounts a
    left join subaccounts s on s.synthetic_hotkey = a.synthetic_hotkey
    where a.payment_id = ${id}`);

const disputeOf = ({ stage }: World, { processorId }: Payment): string | undefined =>
  stage.service.processor.events
    .filter(({ type }) => type === 'charge.dispute.created')
    .map(({ data }) => Object(data.object))
    .find(({ payment_intent }) => payment_intent === processorId)?.id;
