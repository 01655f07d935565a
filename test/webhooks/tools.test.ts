import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { diagnose, readDelivery } from '../../src/commands/webhook-diagnosis.ts';
import { type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { startScript, until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = '{"id":"evt_1","type":"payment.succeeded","data":{"name":"Ä B"}}';

describe('the diagnosis of a delivery', () => {
  /** Signed by the published library of Standard Webhooks. */
  const signed = (body = BODY, { secret = SECRET, agoS = 0 } = {}) => {
    const at = new Date(Date.now() - agoS * 1_000);
    const signature = new Webhook(secret).sign('whd_1', at, body);
    return `POST /hooks HTTP/1.1\r\nWebhook-Id: whd_1\r\nwebhook-timestamp: ${Math.floor(at.getTime() / 1_000)}\r\nWebhook-Signature: ${signature}\r\n\r\n`;
  };
  /** Signed as the specification says. */
  const ofService = () => {
    const at = Math.floor(Date.now() / 1_000);
    return `X-Service-Signature: t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.${BODY}`).digest('hex')}\n\n`;
  };
  const said = async (head: string, body: string, secret = SECRET) => {
    const delivery = readDelivery(Buffer.from(head + body));
    return delivery && (await diagnose(delivery, secret, 300));
  };

  it('accepts an authentic one, with either kind of line breaks between the headers', async () => {
    for (const head of [signed(), signed().replaceAll('\r\n', '\n')])
      expect(await said(head, BODY)).to.deep.equal({ isAuthentic: true, lines: ['Webhook-Signature: right.'] });
  });

  const wrong: [what: string, head: () => string, body: string, secret: string, line: RegExp][] = [
    ['a line break at the end', signed, `${BODY}\n`, SECRET, /line break at its end/],
    ['white space around it', signed, `  ${BODY}`, SECRET, /white space around it that was not sent/],
    ['changed line breaks', () => signed('{\n}'), '{\r\n}', SECRET, /line breaks of the body were changed/],
    ['JSON written again', signed, JSON.stringify(JSON.parse(BODY), null, 2), SECRET, /parsed and written again/],
    ['a secret with white space', ofService, BODY, `${SECRET} `, /secret has white space/],
    ['a secret without its prefix', ofService, BODY, SECRET.slice(6), /lacks its prefix/],
    ['another secret', signed, BODY, `whsec_${Buffer.alloc(32, 8).toString('base64')}`, /secret of this endpoint/],
    ['an old time', () => signed(BODY, { agoS: 400 }), BODY, SECRET, /signature is right, but its time/],
    ['an old time and another body', () => signed(BODY, { agoS: 400 }), `${BODY}x`, SECRET, /neither/],
    ['no signature', () => 'Webhook-Id: whd_1\n\n', BODY, SECRET, /webhook-timestamp and webhook-signature is missing/],
  ];
  for (const [what, head, body, secret, line] of wrong)
    it(`names ${what}`, async () => {
      const found = await said(head(), body, secret);

      expect(found?.lines.join('\n')).to.match(line);
    });

  it('needs an empty line between headers and body', () => {
    expect(readDelivery(Buffer.from('Webhook-Id: whd_1\n{}'))).to.equal(null);
  });
});

describe('npm run ops -- listen', () => {
  let service: Identity;
  let app: TestApp;
  let receiver: Receiver;
  before(async () => {
    service = await startIdentity({}, false);
    app = await service.app(['api', 'webhooks']);
    receiver = await startReceiver((_, nth) => (nth === 1 ? 200 : 500));
  });
  after(async () => {
    await receiver.close();
    await service.stop();
  });

  const emit = (fanout_event: string) =>
    app.ask('POST', '/v2/notifications/send', { json: { subject: 'Ä', html: '<p>Hello</p>', fanout_event } });
  const listen = (settings: Record<string, string>, ...args: string[]) =>
    startScript('src/commands/webhook-listen.ts', settings, [
      '--url',
      service.url,
      '--forward-to',
      receiver.url,
      ...args,
    ]);

  it('delivers new events as the service does, and shows the receiver’s response', async () => {
    await emit('app.before');
    const listening = listen({ CLIENT_ID: app.appId, CLIENT_SECRET: app.secret }, '--events', 'app.one,app.two');
    const [, secret = ''] = (await listening.waitForLine(/^secret /)).split(' ');
    await listening.waitForLine(/^reading /);
    for (const event of ['app.one', 'app.other', 'app.two']) await emit(event);
    await until('both events', () => receiver.ledger.length === 2);
    await listening.waitForLine(/^app\.two evt_\S+ 500$/);
    listening.kill('SIGTERM');
    await listening.exited;

    const [first, second] = receiver.ledger;
    const event = new Webhook(secret).verify(String(first?.body), first?.headers as Record<string, string>);
    expect(event).to.include({ type: 'app.one' });
    expect(JSON.parse(String(second?.body)).type).to.equal('app.two');
    expect(listening.lines.some((line) => /^app\.one evt_\S+ 200$/.test(line))).to.equal(true);

    const head = Object.entries(first?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const input = `${head.join('\n')}\n\n${first?.body}`;
    const verify = (given: string) =>
      spawnSync(process.execPath, ['src/commands/webhook-verify.ts', '--secret', given], { input, encoding: 'utf8' });
    expect(verify(secret)).to.include({
      status: 0,
      stdout: 'X-Service-Signature: right.\nWebhook-Signature: right.\nAuthentic.\n',
    });
    expect(verify(SECRET).status).to.equal(1);
  });

  it('says how it is called without credentials or receiver', async () => {
    const { exited, lines } = listen({});

    expect((await exited).code).to.equal(2);
    expect(lines.join('\n')).to.include('Set PARTNER_KEY, or CLIENT_ID and CLIENT_SECRET');
  });
});
