/*
 * A small shop for challenge accounts: people sign up, verify their address, buy an account and see it become tradable
 * and funded. It keeps what it knows in memory; a real one keeps it in its database.
 *
 *   SERVICE_URL=… CLIENT_ID=… CLIENT_SECRET=… SHOP_URL=https://shop.example.com PORT=8080 node challenge-shop.ts
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, connect, ServiceError, verifyWebhook, WebhookError } from 'trading-partner-service/client';

const { SERVICE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', SHOP_URL, PORT = '0' } = process.env;
const credentials = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
const app = connect({ baseUrl: SERVICE_URL, credentials });

/** A client that acts for one user: the session goes with each call. */
const ofUser = (session: string): Client =>
  connect({ baseUrl: SERVICE_URL, credentials, headers: { 'X-Session-Token': session } });

/** What webhooks reported of each payment, by its id. */
const payments = new Map<string, { event: string; at: string }>();
/** Events that were acted upon: each can be delivered more than once, and by several attempts at once. */
const seen = new Set<string>();

type Body = Record<string, string>;
type Reply = { status: number; body: object; session?: string };
type Route = (given: { body: Body; session: string; key: string | undefined }) => Promise<Reply>;

const routes: Record<string, Route> = {
  'POST /sign-up': async ({ body: { email = '', password = '' } }) => {
    await app.settled(app.api.POST('/v2/auth/signup', { body: { email, password } }));
    return { status: 200, body: { next: 'Enter the code that was mailed to you.' } };
  },

  'POST /verify': async ({ body: { email = '', code = '' } }) => {
    const { session_token } = await app.settled(app.api.POST('/v2/auth/verify-email', { body: { email, code } }));
    return { status: 200, body: { next: 'Choose an account.' }, session: session_token };
  },

  'GET /tiers': async () => {
    const tiers = await Array.fromAsync(app.rows(app.api.GET('/v2/tiers')));
    return { status: 200, body: tiers.filter(({ active }) => active) };
  },

  // The page pays with client_secret in the processor's form. `key` is the page's own, so that a click that is sent
  // twice, or repeated after a lost response, begins one payment.
  'POST /buy': async ({ body: { tier_id }, session, key }) => {
    const user = ofUser(session);
    const tiers = await Array.fromAsync(user.rows(user.api.GET('/v2/tiers')));
    const tier = tiers.find((each) => each.tier_id === tier_id);
    if (!tier) return { status: 404, body: { error: 'This account is not sold.' } };
    const { active: _, ...terms } = tier;
    const header = key === undefined ? {} : { 'Idempotency-Key': key };
    const checkout = await user.settled(user.api.POST('/v2/payments/checkout', { params: { header }, body: terms }));
    return { status: 200, body: { payment_id: checkout.payment_id, client_secret: checkout.client_secret } };
  },

  'GET /accounts': async ({ session }) => {
    const user = ofUser(session);
    const owned = await Array.fromAsync(user.rows(user.api.GET('/v2/payments/prop-accounts')));
    return { status: 200, body: owned.map(({ id, status, account_size }) => ({ id, status, account_size })) };
  },

  'POST /payment': async ({ body: { payment_id = '' }, session }) => {
    const user = ofUser(session);
    const params = { path: { payment_id } };
    const { status } = await user.settled(user.api.GET('/v2/payments/{payment_id}', { params })); // 404 for others'
    return { status: 200, body: { payment_id, status, reported: payments.get(payment_id) ?? null } };
  },
};

/** Receives webhooks. An event that gets a 2xx is not sent again, so the response comes last. */
async function receive(raw: Buffer, headers: IncomingMessage['headers'], secret: string): Promise<Reply> {
  const event = await verifyWebhook({ body: raw, headers, secret });
  if (seen.has(event.id)) return { status: 200, body: { seen: true } };
  const id = String(event.data.payment_id);
  const known = payments.get(id);
  // Deliveries can overtake each other: the newest event counts.
  if (event.type.startsWith('payment.') && (!known || known.at < event.timestamp))
    payments.set(id, { event: event.type, at: event.timestamp });
  seen.add(event.id);
  return { status: 200, body: { seen: false } };
}

async function handle(request: IncomingMessage, secret: string): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  if (request.url === '/hooks') return receive(raw, request.headers, secret);
  const route = routes[`${request.method} ${request.url}`];
  if (!route) return { status: 404, body: { error: 'Page not found.' } };
  const session = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const key = request.headers['idempotency-key'];
  return route({ body: raw.length > 0 ? JSON.parse(raw.toString()) : {}, session, key: key?.toString() });
}

/** What a failure means for the shop's own visitor. */
function replyTo(error: unknown): Reply {
  if (error instanceof WebhookError || error instanceof SyntaxError)
    return { status: 400, body: { error: error.message } };
  if (!(error instanceof ServiceError)) {
    console.error(error);
    return { status: 500, body: { error: 'The shop failed.' } };
  }
  const { code, message, effect, status } = error;
  return { status: status < 500 ? status : 502, body: { error: message, code, effect } };
}

function send(response: ServerResponse, { status, body, session }: Reply): void {
  const cookie = `session=${session}; HttpOnly; SameSite=Strict; Path=/${SHOP_URL ? '; Secure' : ''}`;
  response.writeHead(status, { 'Content-Type': 'application/json', ...(session && { 'Set-Cookie': cookie }) });
  response.end(JSON.stringify(body));
}

const server = createServer(async (request, response) => {
  const { secret } = await endpoint;
  send(response, await handle(request, secret).catch(replyTo));
}).listen(Number(PORT));
await once(server, 'listening');
const url = SHOP_URL ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The shop's endpoint. Its secret is shown only now; a shop that keeps it makes the endpoint once. */
const endpoint = app.settled(app.api.POST('/v2/webhook-endpoints', { body: { url: `${url}/hooks`, events: ['*'] } }));
await endpoint;
console.log(`The shop is open at ${url}`);

process.once('SIGTERM', async () => {
  const { id } = await endpoint;
  await app.settled(app.api.DELETE('/v2/webhook-endpoints/{endpoint_id}', { params: { path: { endpoint_id: id } } }));
  server.close();
  server.closeAllConnections();
});
