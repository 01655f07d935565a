import { callers } from './life-accounts.ts';
import type { Act } from './life-act.ts';
import { passes, said } from './life-says.ts';
import {
  dropVerification,
  happens,
  meantAccount,
  type State,
  type User,
  unlike,
  userOf,
  verifies,
  withoutUnused,
} from './life-state.ts';
import type { World } from './life-world.ts';

const NO_HASH = '0'.repeat(64);
const post = (path: string, json: object = {}) => ({ as: 'caller' as const, method: 'POST', path, json });
const MOVES = ['processing', 'requires_input', 'verified', 'canceled'] as const;
const KYC = {
  processing: 'processing',
  requires_input: 'needs_input',
  verified: 'verified',
  canceled: 'failed',
} as const;

/** What people sign, prove and mint, and what their app writes to them. */
export const deeds = {
  sign: (world: World, who: number, n: number): Act => {
    const { token, session } = callers(world, who, n);
    const version = `2026-0${1 + (n % 2)}`;
    const json = { agreement_version: version, signature_name: `Person ${who}` };
    return {
      name: `sign ${who} ${version}`,
      request: { ...post('/v2/agreements/sign', json), token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        said(reply, 200, { signed: true, agreement_version: version });
        const user = userOf(s, who);
        const { signed, id } = s.apps[user.app];
        const { receipt } = reply.body;
        const place = signed.length + 1;
        if (receipt.app_id !== id || receipt.place !== place || receipt.previous_hash !== (signed.at(-1) ?? NO_HASH))
          unlike(`a receipt for place ${place} after ${signed.at(-1)}`);
        signed.push(receipt.row_hash);
        user.signatures.push({ version, name: json.signature_name, rowHash: receipt.row_hash, place });
        const data = {
          signature_id: receipt.id,
          user_id: user.id,
          agreement_version: version,
          row_hash: receipt.row_hash,
        };
        happens(s, user.app, 'agreement.signed', `agreements of ${user.app}`, data);
      },
    };
  },

  beginKyc: (world: World, who: number, n: number): Act => {
    const { token, session } = callers(world, who, n);
    return {
      name: `beginKyc ${who}`,
      async request() {
        await nextSecond(); // the processor dates what it reports by seconds
        return world.send({ as: 'caller', method: 'POST', path: '/v2/kyc/processor-identity/session', token, session });
      },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        const user = userOf(s, who);
        if (user.kyc === 'verified') return void said(reply, ['V2_KYC_VERIFIED']);
        said(reply, 200);
        user.verification = { id: reply.body.session_id, madeIn: session, hasEnded: false };
        verifies(s, user, 'unverified');
      },
    };
  },

  moveKyc: (world: World, who: number, n: number): Act | null => {
    const { verification } = userOf(world.now, who);
    const to = MOVES[n % 4] ?? 'verified';
    if (!verification || verification.hasEnded) return null;
    return {
      name: `moveKyc ${who} ${to}`,
      async request() {
        await nextSecond();
        await world.stage.service.control('verification', { id: verification.id, to });
        await world.rest();
        return { status: 200, code: undefined, body: null, isReplay: false };
      },
      explain(s) {
        const user = userOf(s, who);
        if (user.verification?.id !== verification.id) return;
        user.verification.hasEnded = to === 'verified' || to === 'canceled';
        verifies(s, user, KYC[to]);
      },
    };
  },

  mintKey: (world: World, who: number, n: number): Act => {
    const { token, session } = callers(world, who, n);
    const { accounts } = userOf(world.now, who);
    const named = n % 2 ? accounts[(n >> 1) % Math.max(1, accounts.length)]?.id : undefined;
    const json = { label: 'bot', ...(named && { prop_account_id: named }) };
    return {
      name: `mintKey ${who} ${named ?? ''}`,
      request: { ...post('/v2/api-keys', json), token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'trading', session })) return;
        const user = userOf(s, who);
        const account = named ? user.accounts.find(({ id }) => id === named) : meantAccount(user);
        if (!account) return void said(reply, 404);
        if (account.status === 'subaccount_failed' && reply.status === 409) return;
        said(reply, 200, { prop_account_id: account.id });
        const { id, api_key: value } = reply.body;
        if (user.keys.some((each) => each.id === id)) unlike('a key of before');
        user.keys.push({ id, value, account: account.id, madeIn: session, isProven: false, isAlive: true });
      },
    };
  },

  revokeKey: (world: World, who: number, n: number): Act | null => {
    const { token, session } = callers(world, who, 0);
    const { keys } = userOf(world.now, who);
    const key = keys[n % Math.max(1, keys.length)];
    if (!key) return null;
    return {
      name: `revokeKey ${who}`,
      request: { as: 'caller', method: 'DELETE', path: `/v2/api-keys/${key.id}`, token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'trading', session })) return;
        said(reply, 200, { revoked: true });
        const mine = userOf(s, who).keys.find(({ id }) => id === key.id);
        if (mine) mine.isAlive = false;
      },
    };
  },

  write: (world: World, who: number, n: number): Act | null => {
    const { app, email, id, state } = userOf(world.now, who);
    if (id === null || state !== 'verified') return null; // an address that is not verified gets few mails
    const by = n % 4 === 3 ? (app === 'a' ? 'b' : 'a') : app;
    const token = world.token(by);
    const json = {
      email,
      user_id: id,
      subject: 'News',
      html: '<p>News</p>',
      fanout_event: 'life.told',
      payload: { n },
    };
    return {
      name: `write ${who} by ${by}`,
      request: { ...post('/v2/notifications/send', json), token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        if (by !== app) return void said(reply, [403, 404, 'V2_NOTIFY_RECIPIENT_FORBIDDEN', 'V2_USER_UNKNOWN']);
        said(reply, 200, { email_sent: true, email_status: 'sent', webhook_deliveries_queued: 1 });
        happens(s, app, 'life.told', `told by ${app}`, { n, user_id: id });
      },
    };
  },

  removeTotp: (world: World, who: number): Act | null => {
    const { id } = userOf(world.now, who);
    if (id === null) return null;
    return {
      name: `removeTotp ${who}`,
      request: { ...post(`/v2/admin/users/${id}/remove-authenticator`, { reason: 'it was lost' }), as: 'operator' },
      explain(s, reply) {
        const user = userOf(s, who);
        if (user.totp === 'off') return void said(reply, [409, 404, 'V2_MFA_NOT_STARTED', 'V2_USER_UNKNOWN']);
        if (user.totp === 'pending' && reply.status === 409) return;
        said(reply, 200, { enabled: false });
        user.totp = 'off';
      },
    };
  },

  endSessions: (world: World, who: number): Act | null => {
    const { id } = userOf(world.now, who);
    if (id === null) return null;
    return {
      name: `endSessions ${who}`,
      request: { ...post(`/v2/admin/users/${id}/end-sessions`, { reason: 'the phone was stolen' }), as: 'operator' },
      explain(s, reply) {
        const user = userOf(s, who);
        if (user.state !== 'verified' && reply.status === 404) return;
        said(reply, 200);
        return endAll(s, user);
      },
    };
  },
};

/** What was made in a session that an operator ends, ends with it. */
function endAll(s: State, user: User): State[] {
  const open = user.sessions.filter(({ isAlive }) => isAlive).map(({ token }) => token);
  for (const session of user.sessions) session.isAlive = false;
  for (const key of user.keys) if (open.includes(key.madeIn)) key.isAlive = false;
  if (user.verification && open.includes(user.verification.madeIn) && user.kyc !== 'verified')
    dropVerification(s, user);
  return open.includes(user.totpSession) ? withoutUnused(s, user) : [s];
}

const nextSecond = () => new Promise((go) => setTimeout(go, 1_000 - (Date.now() % 1_000)));
