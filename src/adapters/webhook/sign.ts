import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Outgoing } from './types.ts';

const USER_AGENT = 'Trading-Partner-Service/0.1';

/** All headers of one attempt, signed with each secret for the time `at` (Unix seconds). */
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
    'X-Service-Origin': originOf(body),
    'X-Service-Delivery': deliveryId,
    'X-Service-Timestamp': String(at),
    'X-Service-Signature': [`t=${at}`, ...service].join(','),
    'Webhook-Id': deliveryId,
    'Webhook-Timestamp': String(at),
    'Webhook-Signature': standard.join(' '),
  };
}

/**
 * Who made the event: this service, or the app that had it sent; `unknown` for a body that does not say so in its
 * place.
 */
const originOf = (body: Buffer): string => {
  const origin = /^\{"id" : "evt_\w+", "type" : "(?:[^"\\]|\\.)*", "origin" : "(service|app)"/.exec(body.toString());
  return origin?.[1] ?? 'unknown';
};

const hmac = (key: string | KeyObject, prefix: string, body: Buffer) =>
  createHmac('sha256', key).update(prefix).update(body).digest();

/**
 * The key that Standard Webhooks libraries derive from a secret: the part after the prefix, base64-decoded. Node takes
 * three times as long to sign with a buffer.
 */
const keyOf = (secret: string) => createSecretKey(secret.replace('whsec_', ''), 'base64');

/** An event name may be any text. The header percent-encodes a name it cannot carry; the body holds it unchanged. */
const headerSafe = (name: string) =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) ? name : encodeURIComponent(name.toWellFormed());
