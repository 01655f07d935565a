import type { Reply } from './life-act.ts';
import { type App, type State, unlike } from './life-state.ts';

/** What a request presents; `scope`: what its token needs, null if any will do. */
type Presented = { token: string | undefined; session?: string; scope: string | null };

/** Expects a status, or one of these codes, and that the body has these members. */
export function said(reply: Reply, wanted: number | (string | number)[], members: object = {}): void {
  const is = Array.isArray(wanted)
    ? wanted.includes(reply.status) || wanted.includes(reply.code ?? '')
    : reply.status === wanted;
  if (!is) unlike(`expected ${wanted}`);
  for (const [name, value] of Object.entries(members))
    if (JSON.stringify(reply.body?.[name]) !== JSON.stringify(value))
      unlike(`expected ${name} ${JSON.stringify(value)}`);
}

/** The app of a token that is valid. */
export const appOf = (s: State, token: string | undefined): App | undefined =>
  Object.values(s.apps).find(
    (app) => app.isActive && app.tokens.some(({ value, isAlive }) => value === token && isAlive),
  );

/** Whether a request has what it needs. If not, expects that it was rejected for that. */
export function passes(now: State, reply: Reply, { token, session, scope }: Presented): boolean {
  const s = now.start ?? now;
  const app = appOf(s, token);
  if (!app) {
    said(reply, ['V2_TOKEN_INVALID']);
    return false;
  }
  const lacks = [
    ...(covers(app, token, scope) ? [] : ['V2_SCOPE_MISSING']),
    ...(hasSession(s, app, session) ? [] : ['V2_SESSION_INVALID']),
  ];
  if (lacks.length > 0) said(reply, lacks);
  return lacks.length === 0;
}

function covers(app: App, token: string | undefined, scope: string | null): boolean {
  const scopes = app.tokens.find(({ value }) => value === token)?.scopes ?? [];
  return scope === null || scopes.some((each) => each === scope || each === 'api' || each === '*');
}

const hasSession = (s: State, app: App, session: string | undefined): boolean =>
  session === undefined ||
  s.users.some(
    (user) => s.apps[user.app] === app && user.sessions.some(({ token, isAlive }) => token === session && isAlive),
  );
