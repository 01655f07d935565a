import { codeOf } from '../support/identity.ts';
import type { Act } from './life-act.ts';
import { passes, said } from './life-says.ts';
import { type User, userOf } from './life-state.ts';
import type { World } from './life-world.ts';

/** Another code than this one. */
export const other = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Whether a code is one of a user's authenticator that was not used yet. */
export const isRight = (user: User, code: string): boolean =>
  [-1, 0, 1].some((steps) => codeOf(user.seed, steps) === code) && !user.spent.includes(code);

/** What people do with an authenticator. */
export const totpActs = {
  enroll: (world: World, who: number, n: number): Act => {
    const { app } = userOf(world.now, who);
    const [token, session] = [world.token(app), world.session(who, n) ?? 'sess_none'];
    return {
      name: `enroll ${who}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/totp/enroll', token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        const user = userOf(s, who);
        if (user.totp === 'on') return void said(reply, ['V2_MFA_ALREADY_ENABLED']);
        said(reply, 200);
        Object.assign(user, {
          totp: 'pending',
          seed: reply.body.secret,
          totpSession: session,
          hasLoggedInByTotp: false,
        });
      },
    };
  },

  confirm: (world: World, who: number, n: number): Act => {
    const { app } = userOf(world.now, who);
    const [token, session] = [world.token(app), world.session(who, n) ?? 'sess_none'];
    const code = n % 6 === 4 ? other(world.totpCode(who)) : world.totpCode(who);
    return {
      name: `confirm ${who}${n % 6 === 4 ? ' with a guess' : ''}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/totp/confirm', json: { code }, token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        const user = userOf(s, who);
        if (user.totp !== 'pending') return void said(reply, 409);
        if (!isRight(user, code)) return void said(reply, ['V2_MFA_INVALID']);
        said(reply, 200, { enabled: true });
        user.totp = 'on';
        user.spent.push(code);
      },
    };
  },

  disableTotp: (world: World, who: number, n: number): Act => {
    const { app } = userOf(world.now, who);
    const [token, session] = [world.token(app), world.session(who, n) ?? 'sess_none'];
    const code = n % 6 === 4 ? other(world.totpCode(who)) : world.totpCode(who);
    return {
      name: `disableTotp ${who}${n % 6 === 4 ? ' with a guess' : ''}`,
      request: { as: 'caller', method: 'POST', path: '/v2/auth/totp/disable', json: { code }, token, session },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api', session })) return;
        const user = userOf(s, who);
        if (user.totp !== 'on') return void said(reply, ['V2_MFA_NOT_STARTED']);
        if (!isRight(user, code)) return void said(reply, ['V2_MFA_INVALID']);
        said(reply, 200, { enabled: false });
        user.totp = 'off';
        user.spent.push(code);
      },
    };
  },
};
