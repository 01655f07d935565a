/** The body of a webhook, once its signature has been verified. */
export type WebhookEvent = { id: string; type: string; timestamp: string; data: Record<string, unknown> };

/** A request as received. `body` is its raw body: parsed and written again, it has another signature. */
export type ReceivedWebhook = {
  body: string | Uint8Array;
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The endpoint's secret; after a rotation, both. */
  secret: string | string[];
  /** The oldest signature that is accepted, in seconds; 300 by default. It bounds how long a request can be replayed. */
  toleranceS?: number;
};

/** Why a webhook was not accepted. */
export class WebhookError extends Error {
  readonly reason: 'signature_missing' | 'too_old' | 'signature_wrong';

  constructor(reason: WebhookError['reason']) {
    super(`The webhook is not authentic: ${reason}`);
    this.name = 'WebhookError';
    this.reason = reason;
  }
}

type Signature = {
  at: string;
  content: string;
  candidates: Uint8Array<ArrayBuffer>[];
  keyOf(secret: string): Uint8Array<ArrayBuffer>;
};

/**
 * Verifies a webhook and returns its event; throws a `WebhookError`. Reads `X-Service-Signature`, or else the headers of
 * Standard Webhooks. Every event can arrive more than once: act on an `id` once.
 */
export async function verifyWebhook<Event = WebhookEvent>(received: ReceivedWebhook): Promise<Event> {
  const { body, secret, toleranceS = 300 } = received;
  const read = headerReader(received.headers);
  const signature = ofService(read) ?? ofStandard(read);
  if (!signature) throw new WebhookError('signature_missing');
  const ageS = Date.now() / 1_000 - Number(signature.at);
  if (!(Math.abs(ageS) <= toleranceS)) throw new WebhookError('too_old');
  const bytes = typeof body === 'string' ? utf8(body) : body;
  const content = new Uint8Array([...utf8(signature.content), ...bytes]);
  for (const each of [secret].flat())
    if (await isSigned(signature, signature.keyOf(each), content)) return JSON.parse(new TextDecoder().decode(bytes));
  throw new WebhookError('signature_wrong');
}

type Read = (name: string) => string | undefined;

function headerReader(headers: ReceivedWebhook['headers']): Read {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined;
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(',')]));
  return (name) => all.get(name);
}

/** `t=<seconds>,v1=<hex>[,v1=<hex>]` over `<seconds>.<body>`, with the whole secret as the key. */
function ofService(read: Read): Signature | null {
  const parts = (read('x-service-signature') ?? '').split(',').map((part) => part.split('='));
  const at = parts.find(([name]) => name === 't')?.[1];
  if (!at) return null;
  const candidates = parts.flatMap(([name, value = '']) => (name === 'v1' ? [fromHex(value)] : []));
  return { at, content: `${at}.`, candidates, keyOf: utf8 };
}

/** Standard Webhooks 1.0: `v1,<base64>` over `<id>.<seconds>.<body>`, with the decoded secret as the key. */
function ofStandard(read: Read): Signature | null {
  const [id, at, given] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  if (!id || !at || !given) return null;
  const candidates = given.split(' ').flatMap((each) => (each.startsWith('v1,') ? [fromBase64(each.slice(3))] : []));
  return { at, content: `${id}.${at}.`, candidates, keyOf: (secret) => fromBase64(secret.replace('whsec_', '')) };
}

/** Compares in constant time, as `crypto.subtle` does. */
async function isSigned(
  { candidates }: Signature,
  key: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (key.length === 0) return false; // the secret is empty, or none of this kind
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const results = await Promise.all(candidates.map((each) => crypto.subtle.verify('HMAC', hmac, each, content)));
  return results.includes(true);
}

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>; // as: it never shares memory

const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(); // not base64: it matches nothing
  }
}
