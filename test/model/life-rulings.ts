import { callers, created, done, resumed, within } from './life-accounts.ts';
import type { Act } from './life-act.ts';
import { passes, said } from './life-says.ts';
import { type Account, mayTrade, moves, type State, type Status, unlike, userOf } from './life-state.ts';
import type { World } from './life-world.ts';

/** What the network says of accounts, and what operators do about them. */
export const rulings = {
  judge: (world: World, who: number, n: number): Act | null => {
    const user = userOf(world.now, who);
    const account = within(user.accounts.filter(mayTrade), n);
    const { token, session } = callers(world, who, 0);
    const isAlive = user.sessions.some((each) => each.token === session && each.isAlive);
    if (!account?.subaccount || !isAlive || !world.now.apps[user.app].isActive) return null;
    const [to, said_by] =
      n % 3 ? ['funded', { bucket: 'SUBACCOUNT_FUNDED' }] : ['eliminated', { elimination: 'MAX_TOTAL_DRAWDOWN' }];
    return {
      name: `judge ${who}: ${to}`,
      async request() {
        await world.stage.service.network({ subaccount_id: account.subaccount, ...(said_by as object) });
        for (let left = 6; ; left -= 1) {
          const reply = await world.send({
            as: 'caller',
            method: 'POST',
            path: `/v2/lifecycle/sync/${account.id}`,
            token,
            session,
          });
          if (left === 0 || reply.status !== 200 || reply.body.status === to) return reply;
          await new Promise((go) => setTimeout(go, 300)); // a reading is used again for a second
        }
      },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        said(reply, 200, { prop_account_id: account.id, status: to, synced: true });
        const mine = userOf(s, who).accounts.find(({ id }) => id === account.id) ?? unlike('no such account');
        if (mine.status !== to) moves(s, userOf(s, who), mine, to as Status, mine.status);
      },
    };
  },

  network: (world: World): Act => {
    const to = world.now.network === 'works' ? 'rejects' : 'works';
    return {
      name: `network ${to}`,
      async request() {
        const { faults } = world.stage.service.miner;
        faults.clear();
        if (to === 'rejects') faults.add({ kind: 'reject', route: '/miner/api/create-subaccount' });
        return done();
      },
      explain(s) {
        s.network = to;
      },
    };
  },

  provision: (world: World, who: number, n: number): Act | null =>
    operators(world, who, n, 'provision', (s, account) => {
      const { payments } = userOf(s, who);
      if (account.status !== 'subaccount_failed') return 'V2_ACCOUNT_NOT_FAILED';
      const payment = payments.find(({ id }) => id === account.payment);
      if (payment && payment.status !== 'succeeded') return 'V2_ACCOUNT_STOPPED';
      moves(s, userOf(s, who), account, 'provisioning', 'subaccount_failed');
      moves(s, userOf(s, who), account, created(s), 'provisioning');
      return null;
    }),

  reinstate: (world: World, who: number, n: number): Act | null =>
    operators(world, who, n, 'reinstate', (s, account) => {
      if (!account.resumes) return 'V2_ACCOUNT_NOT_FAILED';
      resumed(s, who, account);
      return null;
    }),
};

/** An operator acts on an account; `act` says the error, if it is rejected. */
function operators(
  world: World,
  who: number,
  n: number,
  verb: string,
  act: (s: State, account: Account) => string | null,
): Act | null {
  const account = within(userOf(world.now, who).accounts, n);
  if (!account) return null;
  const path = `/v2/admin/prop-accounts/${account.id}/${verb}`;
  return {
    name: `${verb} ${who}`,
    request: { as: 'operator', method: 'POST', path, json: { reason: 'so says the model' } },
    explain(s, reply) {
      const mine = userOf(s, who).accounts.find(({ id }) => id === account.id) ?? unlike('no such account');
      if (s.start && reply.code === 'V2_ACCOUNT_NOT_FAILED') return; // while another request has it
      const why = act(s, mine);
      if (why) said(reply, 409);
      else said(reply, 200, { id: account.id });
    },
  };
}
