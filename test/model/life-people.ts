import type { Act, Reply } from './life-act.ts';
import { passes, said } from './life-says.ts';
import {
  dropVerification,
  happens,
  removeSession,
  type State,
  type User,
  unlike,
  userOf,
  withoutUnused,
} from './life-state.ts';
import { isRight, other } from './life-totp.ts';
import type { World } from './life-world.ts';

const PASSWORDS = ['correct horse battery staple', 'another long pass phrase', 'a third and last pass phrase'] as const;
const GUESSES = 5; // of one code
const pick = (n: number): string => PASSWORDS[n % 3] ?? PASSWORDS[0];

/** What people do to become users, and to enter and leave. `n` chooses among the ways. */
export const peopleActs = {
  signUp: (world: World, who: number, n: number): Act => {
    const { email, app } = userOf(world.now, who);
    const password = pick(n < 6 ? 0 : 1);
    const token = world.token(app);
    const json = { email, password };
    return {
      name: `signUp ${who} with password ${n < 6 ? 0 : 1}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/signup', json, token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        said(reply, 200);
        const user = userOf(s, who);
        isSigned(s, user, reply.body);
        if (!user.offered.includes(password)) user.offered.push(password);
        if (user.state === 'verified') return;
        user.state = 'unverified';
        newCode(user);
      },
    };
  },

  resend: (world: World, who: number): Act => {
    const { email, app } = userOf(world.now, who);
    const token = world.token(app);
    return {
      name: `resend ${who}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/resend-otp', json: { email }, token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        said(reply, 200, { sent: true });
        const user = userOf(s, who);
        if (user.state === 'unverified') newCode(user);
      },
    };
  },

  verify: async (world: World, who: number, n: number): Promise<Act> => {
    const { email, app, codes } = userOf(world.now, who);
    const at = n % 6 === 4 ? codes - 2 : codes - 1;
    const mailed = await world.code(who, at);
    const isGuess = n % 6 === 5;
    const token = world.token(app);
    const json = { email, code: isGuess ? other(mailed) : mailed };
    return {
      name: `verify ${who} with ${isGuess ? 'a guess' : `code ${at}`}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/verify-email', json, token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        const user = userOf(s, who);
        const isNewest = !isGuess && at >= 0 && at === user.codes - 1;
        if (!user.isCodeLive || user.wrong >= GUESSES || !isNewest) {
          if (user.isCodeLive) user.wrong += 1;
          said(reply, 400);
          return;
        }
        said(reply, 200, { user_id: user.id, email, email_verified: true });
        user.isCodeLive = false;
        user.state = 'verified';
        user.password = user.offered.length === 1 ? (user.offered[0] ?? null) : null;
        user.sessions.push({ token: reply.body.session_token, isAlive: true });
        happens(s, app, 'user.verified', `user ${user.id}`, { user_id: user.id });
      },
    };
  },

  logIn: (world: World, who: number, n: number): Act => {
    const { email, app, password: right, offered, totp } = userOf(world.now, who);
    const password = n % 6 === 5 ? 'nobody ever chose this' : (right ?? offered[0] ?? pick(0));
    const code = world.totpCode(who);
    const totp_code = totp !== 'on' || n % 6 === 4 ? undefined : n % 6 === 3 ? other(code) : code;
    const token = world.token(app);
    const json = { email, password, ...(totp_code && { totp_code }) };
    return {
      name: `logIn ${who}${n % 6 === 5 ? ' with a wrong password' : ''}${totp_code ? ` and ${totp_code === code ? 'a code' : 'a guess'}` : ''}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/login', json, token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        const user = userOf(s, who);
        const why = whyNot(user, password);
        if (why) return void said(reply, why);
        if (user.totp === 'on') {
          if (!totp_code) return hasNoSession(reply);
          if (!isRight(user, totp_code)) return void said(reply, ['V2_MFA_INVALID']);
          user.spent.push(totp_code);
          user.hasLoggedInByTotp = true;
        }
        said(reply, 200, { user_id: user.id, email, mfa_required: false });
        for (const key of user.keys) key.isProven = true;
        user.sessions.push({ token: reply.body.session_token, isAlive: true });
      },
    };
  },

  logOut: (world: World, who: number, n: number): Act => {
    const { app } = userOf(world.now, who);
    const [token, session, target] = [world.token(app), world.session(who, n), world.session(who, n + 1)];
    const isOther = n % 2 === 1 && target !== session;
    return {
      name: `logOut ${who}${isOther ? ' elsewhere' : ''}`,
      request: {
        ...{ as: 'caller', method: 'POST', path: '/v2/auth/sessions/revoke', token, session: session ?? 'sess_none' },
        ...(isOther && { json: { session_token: target } }),
      },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session: session ?? 'sess_none' })) return;
        const user = userOf(s, who);
        const found = user.sessions.find((each) => each.token === (isOther ? target : session));
        if (!found) return void said(reply, 404);
        said(reply, 200, { revoked: true }); // also once it has ended
        if (isOther) return removeSession(s, user, found.token);
        found.isAlive = false;
      },
    };
  },

  askForReset: (world: World, who: number): Act | null => {
    const { email, app, state } = userOf(world.now, who);
    if (state !== 'verified') return null; // whether others are mailed is left open
    const token = world.token(app);
    return {
      name: `askForReset ${who}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/password-reset/request', json: { email }, token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        said(reply, 200, { sent: true });
        const user = userOf(s, who);
        user.resets += 1;
        user.isResetLive = true;
      },
    };
  },

  reset: async (world: World, who: number, n: number): Promise<Act> => {
    const { email, app, resets } = userOf(world.now, who);
    const at = resets - 1;
    const reset = n % 6 === 5 ? 'rst_guessed' : await world.resetToken(who, at);
    const [token, new_password, revoke_api_keys] = [world.token(app), pick(n), n % 2 === 0];
    return {
      name: `reset ${who} by ${n % 6 === 5 ? 'a guess' : `token ${at}`}`,
      request: {
        ...{ as: 'caller', method: 'POST', path: '/v2/auth/password-reset/confirm', token },
        json: { email, token: reset, new_password, revoke_api_keys },
      },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        const user = userOf(s, who);
        if (!user.isResetLive || n % 6 === 5 || at !== user.resets - 1) return void said(reply, 400);
        said(reply, 200, { reset: true });
        user.isResetLive = false;
        user.password = new_password;
        for (const session of user.sessions) session.isAlive = false;
        for (const key of user.keys) if (revoke_api_keys || !key.isProven) key.isAlive = false;
        if (user.kyc !== 'verified') dropVerification(s, user);
        return withoutUnused(s, user);
      },
    };
  },
};

function newCode(user: User): void {
  user.codes += 1;
  user.isCodeLive = true;
  user.wrong = 0;
}

/** The codes that a log-in may be rejected with. That of a sign-up is told like that of an address that is not verified: nobody learns which is. */
function whyNot({ state, password, offered }: User, given: string): string[] | null {
  if (state === 'verified' && password === given) return null;
  const isOfSignUp = state !== 'none' && offered.includes(given);
  return ['V2_INVALID_CREDENTIALS', ...(isOfSignUp ? ['V2_EMAIL_NOT_VERIFIED', 'V2_PASSWORD_RESET_REQUIRED'] : [])];
}

/** A sign-up says one id for one person of an app, and that of nobody else. */
function isSigned(s: State, user: User, body: { user_id: string; email: string; email_verified: boolean }): void {
  if (body.email !== user.email || body.email_verified) unlike('the sign-up says another address');
  user.id ??= body.user_id;
  if (user.id !== body.user_id) unlike('the sign-up says another id than before');
  if (s.users.some((each) => each !== user && each.id === user.id)) unlike("the sign-up says another's id");
}

function hasNoSession(reply: Reply): void {
  said(reply, 200, { mfa_required: true });
  if ('session_token' in reply.body) unlike('a session without a code');
}
