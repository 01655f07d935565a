import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';
import { createAdmin } from '../../src/capabilities/admin/commands.ts';
import type { OperatorRole } from '../../src/kernel/operator-roles.ts';
import { type MailUpstream, startMailUpstream } from '../../src/sandbox/mail.ts';
import type { NetvenueUpstreamOptions } from '../../src/sandbox/network/index.ts';
import { freePort } from './free-port.ts';
import { until } from './processes.ts';
import { startService, type TestService } from './service.ts';

// Tests read bodies of every shape; the service itself checks each response against the contract.
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyBody = any;

export type Data = { status: number; headers: Headers; body: AnyBody };
type Requested = { json?: unknown; form?: Record<string, string>; headers?: Record<string, string> };
/** Calls the service with the given credential headers. */
export type Ask = (method: string, path: string, options?: Requested) => Promise<Data>;

export const PASSWORD = 'correct horse battery staple';

/** Sends a request with additional headers. */
export const asking =
  (url: string, fixture: Record<string, string> = {}): Ask =>
  async (method, path, { json, form, headers } = {}) => {
    const body = json !== undefined ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
    const type = json !== undefined ? 'application/json' : form && 'application/x-www-form-urlencoded';
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...(type && { 'Content-Type': type }), ...fixture, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
  };

const parsed = (text: string): AnyBody => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

export type TestAdmin = { adminId: string; email: string; seed: string; token: string; cookie: string; ask: Ask };
export type TestApp = { appId: string; secret: string; token: string; ask: Ask };
export type TestUser = { userId: string; email: string; session: string; ask: Ask };

/** The whole service with a mailbox, and functions that create callers. Throttles are wide by default. */
export type Identity = TestService & {
  mailbox: MailUpstream;
  ask: Ask;
  /** An operator, by default an admin with an authenticator. */
  admin(enrolled?: boolean, role?: OperatorRole): Promise<TestAdmin>;
  /** An app with these scopes and a token for all of them. */
  app(scopes?: string[]): Promise<TestApp>;
  token(app: Pick<TestApp, 'appId' | 'secret'>, scope?: string): Promise<Data>;
  /** A verified user of an app, logged in. */
  user(app: TestApp, email?: string): Promise<TestUser>;
  /** The newest mail to an address, once there are `count` of them. */
  mailTo(address: string, count?: number): Promise<ReturnType<MailUpstream['mails']>[number]>;
};

let names = 0;
/** A name unique in this run. */
export const fresh = (prefix: string): string => `${prefix}-${process.pid}-${++names}`;

/** The token of the link in an operator's invitation. */
export const tokenIn = (text: string): string => /token=(\w[\w-]*)/.exec(text)?.[1] ?? '';

/** Starts the service with a mailbox; by default with a worker. */
export async function startIdentity(
  settings: Record<string, string> = {},
  worker = true,
  upstream: Partial<NetvenueUpstreamOptions> = {},
): Promise<Identity> {
  const mailbox = await startMailUpstream();
  const port = await freePort();
  const service = await startService({
    worker,
    upstream,
    settings: {
      SMTP_URL: mailbox.smtpUrl,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      THROTTLE_SCALE: '1000',
      ...settings,
    },
  });
  const ask = asking(service.url);
  const identity: Identity = {
    ...service,
    mailbox,
    ask,
    admin: (enrolled, role) => makeAdmin(service, enrolled, role),
    token: ({ appId, secret }, scope) =>
      ask('POST', '/v2/oauth/token', {
        form: { grant_type: 'client_credentials', client_id: appId, client_secret: secret, ...(scope && { scope }) },
      }),
    async app(scopes = ['api']) {
      admin ??= identity.admin();
      const json = { name: 'Example app', slug: fresh('app'), scopes };
      const make = async () => (await admin)?.ask('POST', '/v2/admin/apps', { json }) as Promise<Data>; // as: set above
      const asked = await make();
      const approval = asked.body.error?.approval_id;
      const approve = { json: { reason: 'a test' } };
      if (approval) await (await identity.admin()).ask('POST', `/v2/admin/approvals/${approval}/approve`, approve);
      const made = approval ? await make() : asked;
      const app = { appId: made.body.app_id, secret: made.body.client_secret };
      const { body } = await identity.token(app);
      return { ...app, token: body.access_token, ask: asking(service.url, bearer(body.access_token)) };
    },
    async user(app, email = `${fresh('user')}@example.com`) {
      await app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
      const code = codeIn((await identity.mailTo(email)).text);
      const { body } = await app.ask('POST', '/v2/auth/verify-email', { json: { email, code } });
      const headers = { ...bearer(app.token), 'X-Session-Token': body.session_token };
      return { userId: body.user_id, email, session: body.session_token, ask: asking(service.url, headers) };
    },
    async mailTo(address, count = 1) {
      const mails = () => mailbox.mails(address);
      return until(`${count} mails to ${address}`, () => (mails().length >= count ? mails().at(-1) : null), 10_000);
    },
    async stop() {
      await service.stop();
      await mailbox.close();
    },
  };
  let admin: Promise<TestAdmin> | undefined;
  return identity;
}

/** A new operator of a service, logged in; by default an admin with an authenticator. */
export async function makeAdmin(
  { db, url }: Pick<TestService, 'db' | 'url'>,
  enrolled = true,
  role: OperatorRole = 'admin',
): Promise<TestAdmin> {
  const email = `${fresh('operator')}@example.com`;
  const adminId = await createAdmin(db, email, PASSWORD, role);
  const { headers } = await asking(url)('POST', '/v2/admin/login', { json: { email, password: PASSWORD } });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const token = cookie.split('=')[1] ?? '';
  const admin = { adminId, email, seed: '', token, cookie, ask: asking(url, bearer(token)) };
  if (!enrolled) return admin;
  const { body } = await admin.ask('POST', '/v2/admin/totp/enroll');
  const done = await admin.ask('POST', '/v2/admin/totp/confirm', { json: { code: codeOf(body.secret) } });
  if (done.status !== 200) throw new Error(JSON.stringify(done.body));
  return { ...admin, seed: body.secret };
}

/** The header that presents a bearer token. */
export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** The six digits, the reset token, or the link of a mail. */
export const codeIn = (text: string): string => /\b\d{6}\b/.exec(text)?.[0] ?? '';
/** The reset token of a mail; empty when there is none. */
export const resetTokenIn = (text: string): string => /\brst_[\w-]+/.exec(text)?.[0] ?? '';
/** The first link of a mail; empty when there is none. */
export const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? '';

/** The code of a seed, the given number of steps from now. */
export const codeOf = (seed: string, steps = 0): string =>
  generateSync({ secret: seed, epoch: Math.floor(Date.now() / 1000) + steps * 30 });

/**
 * Waits for the next time step when the current one is about to end: codes computed now stay in their step for `ms`.
 */
export async function withinOneStep(ms = 5_000): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000);
  if (left < ms) await sleep(left + 50);
}

/** Runs something many times at once. */
export const atOnce = <T>(times: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, n) => work(n)));

/** Repeats a request that waited too long for a connection to the database, which then had no effect. */
export async function served(ask: () => Promise<Data>): Promise<Data> {
  const reply = await ask();
  return reply.status === 503 ? served(ask) : reply;
}

/** How often each status occurred. */
export function statuses(replies: Data[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
