import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { signedHeaders } from '../adapters/webhook/sign.ts';
import { type Credentials, connect, ServiceError, type WebhookEvent } from '../client/index.ts';
import { argumentsOf, exitWithUsage } from './table.ts';

/*
 * npm run ops -- listen --forward-to http://127.0.0.1:4000/hooks [--url http://127.0.0.1:3000] [--events a.b,c.d] [--after evt_…]
 *   [--secret whsec_…]: delivers the events of one app or partner to a receiver on this machine as the service would, with
 * signatures, until it is stopped. It reads the event log with PARTNER_KEY, or with CLIENT_ID and CLIENT_SECRET, of the environment. By default it
 * starts with the next event, and makes up a secret. An event that the receiver does not accept is shown and not repeated.
 */
const EVERY_MS = 500;
const RESPONSE_MS = 10_000; // what the service waits for a receiver
const AGAIN_MS = 2_000;

const { values } = argumentsOf('listen', {
  most: 0,
  options: {
    'forward-to': { type: 'string' },
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
    events: { type: 'string' },
    after: { type: 'string' },
    secret: { type: 'string' },
  },
});
const { PARTNER_KEY, CLIENT_ID, CLIENT_SECRET } = process.env;
const target = values['forward-to'];
const credentials = credentialsOf();
if (!target || !URL.canParse(target) || !credentials)
  exitWithUsage('listen', 'Set PARTNER_KEY, or CLIENT_ID and CLIENT_SECRET.');
const path = 'partnerKey' in credentials ? '/v1/events' : '/v2/events';
const wanted = values.events?.split(',');
const secret = values.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
const client = connect({ baseUrl: values.url, credentials });

let after = values.after ?? (await lastOf(await eventsAfter(undefined)));
process.stdout.write(`secret ${secret}\nreading ${values.url}${path}, forwarding to ${target}\n`);
for (;;) {
  const isThere = await forwardNew().catch(retryableOnly);
  if (!isThere) process.stdout.write('the service does not respond; trying again\n');
  await sleep(isThere ? EVERY_MS : AGAIN_MS);
}

async function forwardNew(): Promise<true> {
  for await (const event of await eventsAfter(after)) {
    if (!wanted || wanted.includes(event.type))
      process.stdout.write(`${event.type} ${event.id} ${await forward(event)}\n`);
    after = event.id;
  }
  return true;
}

/** An unreachable service is retried; any other error is final. */
function retryableOnly(error: unknown): false {
  if (error instanceof ServiceError && error.retryable) return false;
  throw error;
}

function credentialsOf(): Credentials | null {
  if (PARTNER_KEY) return { partnerKey: PARTNER_KEY };
  return CLIENT_ID && CLIENT_SECRET ? { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } : null;
}

/** The events of the log behind one of them, over all pages. */
async function eventsAfter(id: string | undefined): Promise<AsyncIterable<WebhookEvent>> {
  return client.rows(
    client.api.GET(path, { params: { query: { limit: 500, ...(id !== undefined && { after: id }) } } }),
  );
}

async function lastOf(events: AsyncIterable<WebhookEvent>): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { id } of events) last = id;
  return last;
}

/** Sends one event as the service does. Returns the result as text. */
async function forward(event: WebhookEvent): Promise<string> {
  const body = Buffer.from(JSON.stringify(event));
  const { 'Content-Length': _, ...headers } = signedHeaders(
    {
      url: String(target),
      deliveryId: event.id.replace('evt_', 'whd_'),
      eventType: event.type,
      secrets: [secret],
      body: body.toString(),
    },
    body,
    Math.floor(Date.now() / 1_000),
  );
  const sent = fetch(String(target), {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  return sent.then(
    ({ status }) => String(status),
    ({ cause, message }) => `failed: ${cause?.code ?? message}`,
  );
}
