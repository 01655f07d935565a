import { randomBytes, randomInt } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { webhooks } from '../../src/adapters/webhook/index.ts';
import type { Outgoing, Webhooks } from '../../src/adapters/webhook/types.ts';
import { type Received, type Receiver, startReceiver } from '../support/receivers.ts';
import { realSockets } from '../support/sockets.ts';

const newSecret = () => `whsec_${randomBytes(33).toString('base64')}`;
const current = newSecret();
const previous = newSecret();
const outsider = newSecret();

/** Verifies like a receiver that follows the specification with stripe-node. */
const stripe = ({ body, headers }: Received, secret: string) =>
  Stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), secret);

/** Verifies like a receiver with a Standard Webhooks library. */
const standard = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

const libraries = { stripe, standard };

describe('signatures of deliveries', () => {
  let receiver: Receiver;
  let adapter: Webhooks;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    receiver = await startReceiver();
    adapter = webhooks({ allowLoopback: true });
  });
  after(async () => {
    adapter.close();
    await receiver.close();
    unmocked();
  });

  async function deliver(more: Partial<Outgoing>): Promise<Received> {
    const secrets = [current, previous];
    const sent = { deliveryId: 'whd_1', eventType: 'a', url: receiver.url, body: '{}', secrets, ...more };
    expect(await adapter.send(sent)).to.include({ status: 200 });
    const received = receiver.ledger.at(-1);
    if (!received) throw new Error('Nothing arrived');
    return received;
  }

  const envelopes = fc.record({ id: fc.string(), type: fc.string(), data: fc.object(), timestamp: fc.string() });

  it('are accepted by both libraries, for random bodies and each of two secrets', async () => {
    await fc.assert(
      fc.asyncProperty(envelopes, async (envelope) => {
        const body = JSON.stringify(envelope);

        const received = await deliver({ body });

        expect(received.body).to.equal(body);
        for (const verify of Object.values(libraries)) {
          for (const secret of [current, previous]) expect(verify(received, secret)).to.deep.equal(JSON.parse(body));
          expect(() => verify(received, outsider)).to.throw();
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are rejected by both libraries after any change of one bit in the body', async () => {
    const received = await deliver({ body: JSON.stringify({ type: 'payment.succeeded', data: { amount: 100 } }) });
    const bytes = Buffer.from(received.body);

    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      for (const verify of Object.values(libraries)) {
        expect(() => verify({ ...received, body: changed.toString('latin1') }, current), `bit ${bit}`).to.throw();
      }
    }
  });

  it('are rejected by both libraries after a change in a signature or in the time', async () => {
    const received = await deliver({ secrets: [current] });
    const changes: [keyof typeof libraries, string, RegExp][] = [
      ['stripe', 'x-service-signature', /(?<=v1=).+/],
      ['stripe', 'x-service-signature', /(?<=t=)\d+/],
      ['standard', 'webhook-signature', /(?<=v1,).{40}/],
      ['standard', 'webhook-timestamp', /\d+/],
      ['standard', 'webhook-id', /.+/],
    ];

    for (const [library, header, part] of changes) {
      for (let time = 0; time < 40; time += 1) {
        const value = String(received.headers[header]).replace(part, oneChanged);
        const changed = { ...received, headers: { ...received.headers, [header]: value } };
        expect(() => libraries[library](changed, current), `${header}: ${value}`).to.throw();
      }
    }
  });

  it('have one entry for each secret, and the time of sending', async () => {
    const { headers } = await deliver({ eventType: 'payment.succeeded', deliveryId: 'whd_7' });

    expect(headers).to.include({
      'content-type': 'application/json',
      'user-agent': 'Trading-Partner-Service/0.1',
      'x-service-event': 'payment.succeeded',
      'x-service-delivery': 'whd_7',
      'webhook-id': 'whd_7',
    });
    expect(headers['x-service-signature']).to.match(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(headers['x-service-signature']).to.contain(`t=${headers['x-service-timestamp']},`);
    expect(headers['webhook-signature']).to.match(/^v1,\S{44} v1,\S{44}$/);
    expect(Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1000)).to.be.below(3);
  });

  it('are sent with the origin that the body has in its place, and no other', async () => {
    const event = (type: string, origin: string) =>
      `{"id" : "evt_1a2B", "type" : ${JSON.stringify(type)}, "origin" : "${origin}", "data" : {}}`;
    const bodies = [
      event('payment.succeeded', 'service'),
      event('', 'app'),
      event('a "quoted" \\ name', 'app'),
      `[${event('payment.succeeded', 'service')}]`,
      event('payment.succeeded', 'me'),
      '{}',
    ];

    const origins = [];
    for (const body of bodies) origins.push((await deliver({ body })).headers['x-service-origin']);

    expect(origins).to.deep.equal(['service', 'app', 'app', 'unknown', 'unknown', 'unknown']);
  });

  it('work with any event name', async () => {
    const plain = ['a', '/', 'a b', 'a b c'];
    const names = [
      ...plain,
      'a ',
      'order.filled',
      'zwei Wörter',
      'a\r\nX-Evil: 1',
      '',
      '\ud800',
      '日本',
      ' lead',
      'x'.repeat(255),
    ];

    const deliveries = [];
    for (const eventType of names) deliveries.push((await deliver({ eventType })).headers);

    expect(deliveries.map((headers) => headers['x-service-event'])).to.deep.equal([
      ...plain,
      'a%20',
      'order.filled',
      'zwei%20W%C3%B6rter',
      'a%0D%0AX-Evil%3A%201',
      '',
      '%EF%BF%BD',
      '%E6%97%A5%E6%9C%AC',
      '%20lead',
      'x'.repeat(255),
    ]);
    expect(deliveries.some((headers) => 'x-evil' in headers)).to.equal(false);
  });
});

/** Another text of the same length, with one character changed to another that is valid at its position. */
function oneChanged(text: string): string {
  const at = randomInt(text.length);
  const others = (/^\d+$/.test(text) ? '0123456789' : '0123456789abcdef').replace(text.charAt(at), '');
  return text.slice(0, at) + others.charAt(randomInt(others.length)) + text.slice(at + 1);
}
