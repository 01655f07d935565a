import { sql } from 'slonik';
import { z } from 'zod';
import type { Act, Reply } from './life-act.ts';
import { passes, said } from './life-says.ts';
import { type App, type AppKey, type State, unlike, userOf } from './life-state.ts';
import type { World } from './life-world.ts';

const nothing = z.object({});
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const appKeyOf = (world: World, who: number): AppKey => userOf(world.now, who).app;
const mine = (s: State, key: AppKey, secret: string) => s.apps[key].secrets.find(({ value }) => value === secret);

/** What apps and operators do about an app, and what time does. */
export const appActs = {
  newToken: (world: World, who: number, n: number): Act => {
    const key = appKeyOf(world, who);
    const { id, secrets } = world.now.apps[key];
    const secret = (n % 4 === 3 ? secrets[0] : secrets.at(-1))?.value ?? '';
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    return {
      name: `newToken ${key}${n % 4 === 3 ? ' by the oldest secret' : ''}`,
      request: { as: 'caller', method: 'POST', path: '/v2/oauth/token', form },
      explain(s, reply) {
        const app = s.apps[key];
        if (!app.isActive || mine(s, key, secret)?.ends === 'ended') return void said(reply, 401);
        if (app.scopes.length === 0) return void said(reply, 400);
        said(reply, 200, { token_type: 'Bearer' });
        const scopes = reply.body.scope.split(' ');
        if ([...scopes].sort().join() !== [...app.scopes].sort().join()) unlike(`a token for ${app.scopes}`);
        app.tokens.push({ value: reply.body.access_token, secret, scopes, isAlive: true });
      },
    };
  },

  revokeToken: (world: World, who: number): Act => {
    const key = appKeyOf(world, who);
    const { id, secrets } = world.now.apps[key];
    const token = world.token(key) ?? 'none';
    const secret = secrets.at(-1)?.value ?? '';
    return {
      name: `revokeToken ${key}`,
      request: {
        as: 'caller',
        method: 'POST',
        path: '/v2/oauth/revoke',
        form: { token, client_id: id, client_secret: secret },
      },
      explain(s, reply) {
        const app = s.apps[key];
        if (!app.isActive || mine(s, key, secret)?.ends === 'ended') return void said(reply, 401);
        said(reply, 200);
        for (const each of app.tokens) if (each.value === token) each.isAlive = false;
      },
    };
  },

  rotate: (world: World, who: number, n: number): Act => {
    const key = appKeyOf(world, who);
    const token = world.token(key);
    const overlap_seconds = n % 2 ? HOUR_S : 0;
    return {
      name: `rotate ${key} over ${overlap_seconds} s`,
      request: { as: 'caller', method: 'POST', path: '/v2/apps/me/rotate-secret', json: { overlap_seconds }, token },
      explain(s, reply) {
        if (!passes(s, reply, { token, scope: 'api' })) return;
        const app = s.apps[key];
        const held = app.tokens.find(({ value }) => value === token);
        const isNewest = held?.secret === app.secrets.at(-1)?.value;
        const isWhole = app.scopes.every((scope) => held?.scopes.includes(scope));
        if (!isNewest || !isWhole)
          return void said(reply, [
            ...(isNewest ? [] : ['V2_SECRET_SUPERSEDED']),
            ...(isWhole ? [] : ['V2_SCOPE_MISSING']),
          ]);
        said(reply, 200, { client_id: app.id });
        rotated(app, reply.body.client_secret, overlap_seconds);
      },
    };
  },

  rotateByOperator: (world: World, who: number, n: number): Act => {
    const key = appKeyOf(world, who);
    const overlap_seconds = n % 2 ? HOUR_S : 0;
    const path = `/v2/admin/apps/${world.now.apps[key].id}/rotate-secret`;
    return {
      name: `rotateByOperator ${key} over ${overlap_seconds} s`,
      request: { as: 'operator', method: 'POST', path, json: { overlap_seconds } },
      explain(s, reply) {
        said(reply, 200, { client_id: s.apps[key].id });
        rotated(s.apps[key], reply.body.client_secret, overlap_seconds);
      },
    };
  },

  disable: (world: World, who: number): Act => {
    const key = appKeyOf(world, who);
    return {
      name: `disable ${key}`,
      request: { as: 'operator', method: 'POST', path: `/v2/admin/apps/${world.now.apps[key].id}/disable` },
      explain(s, reply) {
        said(reply, 200, { active: false });
        s.apps[key].isActive = false;
        for (const token of s.apps[key].tokens) token.isAlive = false;
      },
    };
  },

  enable: (world: World, who: number, n: number): Act => enabling(world, appKeyOf(world, who), n % 3 ? 'send' : 'drop'),

  scopes: (world: World, who: number, n: number): Act => {
    const key = appKeyOf(world, who);
    const allowed_scopes = n % 3 ? ['api', 'webhooks'] : ['webhooks'];
    return {
      name: `scopes ${key} ${allowed_scopes}`,
      request: {
        as: 'operator',
        method: 'PATCH',
        path: `/v2/admin/apps/${world.now.apps[key].id}`,
        json: { allowed_scopes },
      },
      explain(s, reply) {
        said(reply, 200, { allowed_scopes });
        const app = s.apps[key];
        app.scopes = allowed_scopes;
        const before = structuredClone(s);
        for (const token of app.tokens) token.scopes = token.scopes.filter((scope) => allowed_scopes.includes(scope));
        for (const token of before.apps[key].tokens) token.scopes = [...allowed_scopes];
        return n % 3 ? [s, before] : [s]; // whether a token regains a scope is left open
      },
    };
  },

  /** Two hours pass, or nine days. */
  pass: (world: World, _who: number, n: number): Act => {
    const seconds = n % 3 ? 2 * HOUR_S : 9 * DAY_S;
    return {
      name: `pass ${seconds} s`,
      request: () => age(world, seconds),
      explain(s) {
        for (const app of Object.values(s.apps)) {
          for (const secret of app.secrets) if (secret.ends === 'later') secret.ends = 'ended';
          for (const token of app.tokens) token.isAlive = false;
        }
        for (const user of s.users) {
          user.isCodeLive = false;
          user.isResetLive = false;
          if (seconds < 8 * DAY_S) continue;
          for (const session of user.sessions) session.isAlive = false;
          if (user.state === 'unverified') Object.assign(user, { state: 'none', id: null, offered: [] }); // it is forgotten
        }
      },
    };
  },
};

/** An operator enables an app: what waited is sent or dropped. */
export function enabling(world: World, key: AppKey, waiting: 'send' | 'drop'): Act {
  return {
    name: `enable ${key}: ${waiting}`,
    request: {
      as: 'operator',
      method: 'POST',
      path: `/v2/admin/apps/${world.now.apps[key].id}/enable`,
      json: { waiting },
    },
    explain(s, reply) {
      said(reply, 200, { active: true });
      s.apps[key].isActive = true;
      for (const event of s.events)
        if (event.app === key && event.fate === 'waits') event.fate = waiting === 'drop' ? 'dropped' : 'sent';
    },
  };
}

/** A new secret: the one before ends after the overlap, others then at the latest, and tokens with their secret. */
function rotated(app: App, value: string, overlapS: number): void {
  if (app.secrets.some((secret) => secret.value === value)) unlike('a secret of before');
  for (const secret of app.secrets) if (secret.ends !== 'ended') secret.ends = overlapS > 0 ? 'later' : 'ended';
  for (const token of app.tokens) if (overlapS === 0) token.isAlive = false;
  app.secrets.push({ value, ends: 'never' });
}

async function age(world: World, seconds: number): Promise<Reply> {
  const { db } = world.stage.service;
  const apps = sql.array(
    Object.values(world.now.apps).map(({ id }) => id),
    'text',
  );
  const by = sql.fragment`make_interval(secs => ${seconds})`;
  const people = sql.fragment`select u.id from users u where u.app_id = any(${apps})`;
  for (const statement of [
    sql.type(nothing)`update app_tokens set expires_at = expires_at - ${by} where app_id = any(${apps})`,
    sql.type(
      nothing,
    )`update app_secrets set expires_at = expires_at - ${by}, created_at = created_at - ${by} where app_id = any(${apps})`,
    sql.type(nothing)`update one_time_codes set expires_at = expires_at - ${by} where app_id = any(${apps})`,
    sql.type(nothing)`update users set created_at = created_at - ${by} where app_id = any(${apps})`,
    sql.type(nothing)`update sign_ups set created_at = created_at - ${by} where user_id in (${people})`,
    sql.type(nothing)`update password_resets set expires_at = expires_at - ${by} where app_id = any(${apps})`,
    sql.type(nothing)`
      update user_sessions
      set expires_at = expires_at - ${by}, seen_at = seen_at - ${by}, created_at = created_at - ${by}
      where user_id in (${people})`,
  ])
    await db.query(statement);
  await world.stage.service.runTask('housekeeping/forget');
  return { status: 200, code: undefined, body: null, isReplay: false };
}
