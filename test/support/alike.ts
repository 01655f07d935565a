import { sql } from 'slonik';
import { fresh, type Identity, PASSWORD, type TestApp } from './identity.ts';

/**
 * Operations that must not reveal whether an address is known: the request for an address, and the status of the
 * response.
 */
export const alike = {
  login: (email: string) => ['/v2/auth/login', { email, password: 'wrong horse battery' }, 401],
  signup: (email: string) => ['/v2/auth/signup', { email, password: PASSWORD }, 200],
  resend: (email: string) => ['/v2/auth/resend-otp', { email }, 200],
  reset: (email: string) => ['/v2/auth/password-reset/request', { email }, 200],
} as const satisfies Record<string, (email: string) => readonly [path: string, json: object, status: number]>;

export type AlikeOperation = keyof typeof alike;

/** One response: its duration in milliseconds, and its content without the caller's own values. */
export type AlikeSample = { ms: number; data: string };

/** Creates users of an app with verified addresses. Their mails are ignored. */
export async function verifiedUsers({ db }: Identity, app: TestApp, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `${fresh('known')}@example.com`);
  for (const email of emails) await app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
  await db.query(sql.unsafe`update users set verified_at = now()`);
  return emails;
}

/** Calls one operation for one address. Throws on any other status than the one both kinds of address get. */
export async function askAlike(app: TestApp, operation: AlikeOperation, email: string): Promise<AlikeSample> {
  const [path, json, status] = alike[operation](email);
  const startedAt = performance.now();
  const reply = await app.ask('POST', path, { json });
  if (reply.status !== status) throw new Error(JSON.stringify(reply.body));
  return { ms: performance.now() - startedAt, data: shapeOf(reply.status, reply.body, email) };
}

/** An address that no user has. */
export const unknownAddress = (): string => `${fresh('unknown')}@example.com`;

/** A response without the caller's own values: the address, ids, and the id of the request. */
const shapeOf = (status: number, body: object, email: string) =>
  `${status} ${JSON.stringify(body)
    .replaceAll(email, '<email>')
    .replace(/usr_[\w-]+/g, '<id>')
    .replace(/"request_id":"[^"]+"/, '')}`;
