import type { Act, Reply, Request } from './life-act.ts';
import { appOf, passes, said } from './life-says.ts';
import { type Account, mayTrade, meantAccount, type State, type User, unlike, userOf } from './life-state.ts';
import type { World } from './life-world.ts';

const ORDER = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 };
const NOBODYS = '00000000-0000-7000-8000-000000000000';
/** Routes of the trading gate: how each responds where the account lets it pass. */
const GATE: [method: string, path: string, whenOpen: number[], json?: object][] = [
  ['GET', 'orders', [200]],
  ['GET', 'positions', [200]],
  ['GET', 'balance', [200]],
  ['GET', 'history', [200]],
  ['GET', 'desk-poll', [200]],
  ['GET', 'rules', [200]],
  ['GET', `orders/${NOBODYS}`, [404]],
  ['POST', 'orders', [200], ORDER],
  ['POST', 'orders/close', [200, 409], { trade_pair: 'BTCUSDC' }],
  ['POST', 'orders/tp-sl', [200, 409], { trade_pair: 'BTCUSDC', take_profit: 500_000 }],
  ['DELETE', `orders/${NOBODYS}?trade_pair=BTCUSDC`, [404]],
];

/** What a user reads of everything that is the user's own, in the session `n`. */
export function ownReads(world: World, who: number, n: number): Act[] {
  const token = world.token(userOf(world.now, who).app);
  const session = world.session(who, n) ?? 'sess_none';
  const read = (path: string, scope: string, explain: (user: User, reply: Reply, s: State) => void): Act => ({
    name: `${who} reads ${path}`,
    request: { as: 'caller', path, token, session },
    explain(s, reply) {
      if (!passes(s, reply, { token, scope, session })) return;
      said(reply, 200);
      explain(userOf(s, who), reply, s);
    },
  });
  return [
    read('/v2/auth/me', 'api', (user, { body }, s) =>
      same(body, { user_id: user.id, email: user.email, app_id: s.apps[user.app].id }),
    ),
    read('/v2/auth/sessions', 'api', ({ sessions }, { body }) =>
      same(body.length, sessions.filter(({ isAlive }) => isAlive).length),
    ),
    read('/v2/agreements/status', 'api', ({ signatures }, { body }) => {
      same([body.signed, body.agreement_version], [signatures.length > 0, signatures.at(-1)?.version ?? null]);
    }),
    read('/v2/agreements/audits', 'api', ({ id, signatures }, { body }) =>
      same(
        body.map((each: Record<string, unknown>) => [
          each.user_id,
          each.agreement_version,
          each.signature_name,
          each.row_hash,
          each.place,
        ]),
        signatures.map(({ version, name, rowHash, place }) => [id, version, name, rowHash, place]).toReversed(),
      ),
    ),
    read('/v2/kyc/status', 'api', ({ id, kyc }, { body }) => same([body.user_id, body.kyc_status], [id, kyc])),
    read('/v2/payments/prop-accounts', 'api', ({ accounts }, { body }) =>
      same(
        body.map((each: Account) => `${each.id} ${each.status}`).sort(),
        accounts.map(({ id, status }) => `${id} ${status}`).sort(),
      ),
    ),
    read('/v2/api-keys', 'trading', ({ keys }, { body }) =>
      same(
        body.map((each: { id: string; revoked_at: string | null }) => `${each.id} ${each.revoked_at === null}`).sort(),
        keys.map(({ id, isAlive }) => `${id} ${isAlive}`).sort(),
      ),
    ),
    ...userOf(world.now, who).payments.map(({ id }) =>
      read(`/v2/payments/${id}`, 'api', ({ payments }, { body }) => {
        const payment = payments.find((each) => each.id === id) ?? unlike('no such payment');
        const status = payment.status === 'disputed for good' ? 'disputed' : payment.status;
        same([body.status, body.prop_account_id], [status, payment.account]);
      }),
    ),
  ];
}

/** What others learn of a person's accounts, payments and keys: nothing, whatever they present. */
export function foreignReads(world: World, who: number, by: number, n: number): Act[] {
  const owner = userOf(world.now, who);
  const stranger = userOf(world.now, by);
  const token = world.token(stranger.app);
  const session = world.session(by, n) ?? 'sess_none';
  const tries: [path: string, method: string, scope: string][] = [
    ...owner.accounts.map(({ id }) => [`/v2/payments/prop-accounts/${id}`, 'GET', 'api'] as [string, string, string]),
    ...owner.payments.map(({ id }) => [`/v2/payments/${id}`, 'GET', 'api'] as [string, string, string]),
    ...owner.keys.map(({ id }) => [`/v2/api-keys/${id}`, 'DELETE', 'trading'] as [string, string, string]),
  ];
  const reads = tries.map(
    ([path, method, scope]): Act => ({
      name: `${by} tries ${method} ${path} of ${who}`,
      request: { as: 'caller', method, path, token, session },
      explain: (s, reply) => {
        if (passes(s, reply, { token, scope, session })) said(reply, 404);
      },
    }),
  );
  const theirs = world.session(who, n);
  if (theirs && stranger.app !== owner.app) {
    const request: Request = { as: 'caller', path: '/v2/auth/me', token, session: theirs };
    reads.push({ name: `${by} uses a session of ${who}`, request, explain: (s, reply) => isShut(s, reply, token) });
  }
  return reads;
}

function isShut(s: State, reply: Reply, token: string | undefined): void {
  const app = appOf(s, token);
  if (!app) said(reply, ['V2_TOKEN_INVALID']);
  else said(reply, ['V2_SESSION_INVALID', 'V2_SCOPE_MISSING']);
}

/** Everyone who may and who may not trade an account tries one of the routes: `n` says which. */
export function gateTries(world: World, who: number, n: number): Act[] {
  const [method, route, whenOpen, json] = GATE[n % GATE.length] ?? unlike('no route');
  const { accounts, app, keys } = userOf(world.now, who);
  const account = accounts[n % Math.max(1, accounts.length)];
  const request = { as: 'caller' as const, method, path: `/v2/trading/${route}`, ...(json && { json }) };
  const opens = (reply: Reply, found: Account | undefined) => {
    if (!found) return said(reply, 404);
    if (found.status === 'subaccount_failed' || found.status === 'provisioning')
      return said(reply, ['V2_SUBACCOUNT_NOT_READY']);
    if (method !== 'GET' && !mayTrade(found)) return said(reply, ['V2_ACCOUNT_NOT_TRADEABLE']);
    said(reply, whenOpen);
  };
  const mine = (s: State, id: string | undefined) => userOf(s, who).accounts.find((each) => each.id === id);
  const token = world.token(app);
  const session = world.session(who, n) ?? 'sess_none';
  const tries: Act[] = [
    {
      name: `${who} at ${method} ${route}`,
      request: { ...request, token, session },
      explain: (s, reply) => {
        if (passes(s, reply, { token, scope: 'trading', session })) opens(reply, meantAccount(userOf(s, who)));
      },
    },
  ];
  if (account)
    tries.push({
      name: `the app at ${method} ${route} of ${who}`,
      request: { ...request, token, account: account.id },
      explain: (s, reply) => {
        if (passes(s, reply, { token, scope: 'trading' })) opens(reply, mine(s, account.id));
      },
    });
  for (const by of [0, 1, 2].filter((each) => account && each !== who)) {
    const theirs = world.token(userOf(world.now, by).app);
    const session = world.session(by, n) ?? 'sess_none';
    tries.push({
      name: `${by} at ${method} ${route} of ${who}`,
      request: { ...request, token: theirs, session, account: account?.id ?? '' },
      explain: (s, reply) => {
        if (passes(s, reply, { token: theirs, scope: 'trading', session })) said(reply, 404);
      },
    });
  }
  const key = keys[n % Math.max(1, keys.length)];
  if (key)
    tries.push({
      name: `a key at ${method} ${route} of ${who}`,
      request: { ...request, apiKey: key.value },
      explain: (s, reply) => {
        const held = userOf(s, who).keys.find(({ id }) => id === key.id);
        if (!held?.isAlive || !s.apps[app].isActive || !s.apps[app].scopes.includes('api'))
          said(reply, ['V2_API_KEY_INVALID']);
        else opens(reply, mine(s, held.account));
      },
    });
  return tries;
}

function same(got: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (one !== other) unlike(`expected ${other}, got ${one}`);
}
