import type { MailUpstream } from '../../../src/sandbox/mail.ts';
import { asking, bearer, codeIn, codeOf, type Data, fresh, PASSWORD, withinOneStep } from '../../support/identity.ts';
import { until } from '../../support/processes.ts';
import type { Stage } from '../stage.ts';
import { makeApp } from './money-people.ts';

/** Codes and tokens that were tried shortly before their end and after it: those rejected before it, accepted after it. */
export type Lifetimes = { users: number; tried: number; early: string[]; late: string[] };

const SOON_S = 20; // what ends in this time is valid now
const CODE_LIVES_S = 600;
const MAILED_WITHIN_MS = 60_000;
/** Steps of 30 s beside the present one, among them what the clocks of the scene show. */
const OTHER_STEPS = [-20, -13, -10, -3, 3, 8, 13, 20];

type Scenery = { stage: Stage; mailbox: MailUpstream; app: Awaited<ReturnType<typeof makeApp>>; found: Lifetimes };

/**
 * Users who sign up with a mailed code and log in with an authenticator, at each web process in turn, until `isOver`. Every
 * code and token is tried shortly before its end and after it; for that its row is moved.
 */
export async function tryLifetimes(stage: Stage, mailbox: MailUpstream, isOver: () => boolean): Promise<Lifetimes> {
  const found: Lifetimes = { users: 0, tried: 0, early: [], late: [] };
  const scenery = { stage, mailbox, app: await makeApp(stage), found };
  for (; !isOver(); found.users += 1) await liveOnce(scenery, String(stage.webs[found.users % stage.webs.length]?.url));
  return found;
}

async function liveOnce({ stage, mailbox, app, found }: Scenery, url: string): Promise<void> {
  const is = (what: string, { status, body }: Data, isValid: boolean) => {
    found.tried += 1;
    if (isValid && status !== 200) found.early.push(`${what} ${status} ${body?.error?.code}`);
    if (!isValid && status < 300) found.late.push(what);
  };
  const endsIn = (table: string, seconds: number, where: string, value: string) =>
    stage.rows(`update ${table} set expires_at = now() + make_interval(secs => $1) where ${where}`, [seconds, value]);
  const email = `${fresh('clock')}@example.com`;
  const bySelf = asking(url, bearer(app.token));
  const verify = (code: string) => bySelf('POST', '/v2/auth/verify-email', { json: { email, code } });

  await bySelf('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
  const [code] = await stage.rows<{ lives: number }>(
    `select extract(epoch from expires_at - now())::float8 as lives from one_time_codes where email = $1`,
    [email],
  );
  if (!code || Math.abs(code.lives - CODE_LIVES_S) > SOON_S) found.late.push(`a code that lives ${code?.lives} s`);
  const mailed = codeIn((await until(`a mail to ${email}`, () => mailbox.mails(email).at(-1), MAILED_WITHIN_MS)).text);
  await endsIn('one_time_codes', -1, 'email = $2', email);
  is('mailed code', await verify(mailed), false);
  await endsIn('one_time_codes', SOON_S, 'email = $2', email);
  const verified = await verify(mailed);
  is('mailed code', verified, true);
  if (verified.status !== 200) return;

  const { user_id, session_token } = verified.body;
  const user = asking(url, { ...bearer(app.token), 'X-Session-Token': session_token });
  const { secret } = (await user('POST', '/v2/auth/totp/enroll')).body;
  const confirm = (steps: number) => user('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(secret, steps) } });
  await withinOneStep(10_000);
  for (const step of OTHER_STEPS) is(`authenticator code of step ${step}`, await confirm(step), false);
  is('authenticator code', await confirm(0), true);
  const login = { email, password: PASSWORD, totp_code: codeOf(secret, 1) };
  is('log-in', await bySelf('POST', '/v2/auth/login', { json: login }), true);
  await endsIn('user_sessions', SOON_S, 'user_id = $2', user_id);
  is('session', await user('GET', '/v2/auth/me'), true);
  await endsIn('user_sessions', -1, 'user_id = $2', user_id);
  is('session', await user('GET', '/v2/auth/me'), false);
  await tryToken();

  async function tryToken() {
    const form = { grant_type: 'client_credentials', client_id: app.appId, client_secret: app.secret };
    const { body } = await asking(url)('POST', '/v2/oauth/token', { form });
    const [newest] = await stage.rows<{ id: string; lives: number }>(
      `select encode(digest, 'hex') as id, extract(epoch from expires_at - now())::float8 as lives from app_tokens order by created_at desc limit 1`,
    );
    if (!newest || Math.abs(newest.lives - body.expires_in) > SOON_S)
      found.late.push(`a token that lives ${newest?.lives} of ${body.expires_in} s`);
    const list = () => asking(url, bearer(body.access_token))('GET', '/v2/tiers');
    await endsIn('app_tokens', SOON_S, `encode(digest, 'hex') = $2`, newest?.id ?? '');
    is('token', await list(), true);
    await endsIn('app_tokens', -1, `encode(digest, 'hex') = $2`, newest?.id ?? '');
    is('token', await list(), false);
  }
}
