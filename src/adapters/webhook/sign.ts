import { createHmac } from 'node:crypto';
import type { Outgoing } from './types.ts';

const USER_AGENT = 'Trading-Partner-Service/0.1';

/** Every header of one attempt, signed for the moment `at` (Unix seconds) by each secret. */
export function signedHeaders({ deliveryId, eventType, secrets }: Outgoing, body: Buffer, at: number) {
  const service = secrets.map((secret) => `v1=${hmac(secret, `${at}.`, body).toString('hex')}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(keyOf(secret), `${deliveryId}.${at}.`, body).toString('base64')}`,
  );
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'User-Agent': USER_AGENT,
    'X-Service-Event': headerSafe(eventType),
    'X-Service-Delivery': deliveryId,
    'X-Service-Timestamp': String(at),
    'X-Service-Signature': [`t=${at}`, ...service].join(','),
    'Webhook-Id': deliveryId,
    'Webhook-Timestamp': String(at),
    'Webhook-Signature': standard.join(' '),
  };
}

const hmac = (key: string | Buffer, prefix: string, body: Buffer) =>
  createHmac('sha256', key).update(prefix).update(body).digest();

/** The key a Standard Webhooks library takes from a secret: what stands behind the prefix, decoded. */
const keyOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

/** Any text may be an event's name; what a header cannot carry is percent-encoded there, and plain in the body. */
const headerSafe = (name: string) =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) ? name : encodeURIComponent(name.toWellFormed());
