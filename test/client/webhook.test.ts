import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { type ReceivedWebhook, verifyWebhook, WebhookError } from '../../src/client/index.ts';

const SECRET = `whsec_${Buffer.alloc(33, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(33, 8).toString('base64')}`;
const EVENT = { id: 'evt_1', type: 'payment.succeeded', timestamp: '2026-01-01T00:00:00+00:00', data: { ü: 1 } };
const BODY = JSON.stringify(EVENT);
const nowS = () => Math.floor(Date.now() / 1_000);

/** The headers that the specification asks for, written from it. */
const ofService = (secret = SECRET, at = nowS(), more = '') => ({
  'X-Service-Signature': `t=${at}${more},v1=${createHmac('sha256', secret).update(`${at}.${BODY}`).digest('hex')}`,
});
/** The headers of the published library. */
const standard = (secret = SECRET, at = new Date()) => ({
  'webhook-id': 'whd_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('whd_1', at, BODY),
});

describe('verifyWebhook', () => {
  const reasonFor = (received: Partial<ReceivedWebhook>) =>
    verifyWebhook({ body: BODY, headers: ofService(), secret: SECRET, ...received }).then(
      () => 'accepted',
      (error) => (error instanceof WebhookError ? error.reason : String(error)),
    );

  it('returns the event of a request signed in either way, from text or bytes, and headers of any kind', async () => {
    for (const headers of [ofService(), standard(), new Headers(ofService()), { ...ofService(), ...standard() }])
      for (const body of [BODY, new TextEncoder().encode(BODY)])
        expect(await verifyWebhook({ body, headers, secret: SECRET })).to.deep.equal(EVENT);
  });

  it('accepts one right signature among several, and one right secret of two', async () => {
    const two = ofService(SECRET, nowS(), `,v1=${'0'.repeat(64)}`);

    expect(await reasonFor({ headers: two })).to.equal('accepted');
    expect(await reasonFor({ secret: [OTHER, SECRET] })).to.equal('accepted');
    expect(await reasonFor({ headers: standard(), secret: [OTHER, SECRET] })).to.equal('accepted');
  });

  it('rejects another body, secret or time, what is too old or too new, and what is not signed', async () => {
    const old = nowS() - 301;
    const cases: [Partial<ReceivedWebhook>, string][] = [
      [{ body: `${BODY} ` }, 'signature_wrong'],
      [{ body: `${BODY} `, headers: standard() }, 'signature_wrong'],
      [{ secret: OTHER }, 'signature_wrong'],
      [{ secret: '' }, 'signature_wrong'],
      [{ headers: standard(), secret: 'whsec_not base64!' }, 'signature_wrong'],
      [{ headers: standard(OTHER) }, 'signature_wrong'],
      [{ headers: { 'x-service-signature': `t=${nowS()},v1=` } }, 'signature_wrong'],
      [{ headers: { 'x-service-signature': `t=${nowS()},v1=zz` } }, 'signature_wrong'],
      [{ headers: { ...standard(), 'webhook-signature': 'v1,%%%' } }, 'signature_wrong'],
      [{ headers: { ...standard(), 'webhook-id': 'whd_2' } }, 'signature_wrong'],
      [{ headers: ofService(SECRET, old) }, 'too_old'],
      [{ headers: ofService(SECRET, nowS() + 400) }, 'too_old'],
      [{ headers: standard(SECRET, new Date(old * 1_000)) }, 'too_old'],
      [{ headers: { 'x-service-signature': 't=soon,v1=00' } }, 'too_old'],
      [{ headers: { 'x-service-signature': 'v1=00' } }, 'signature_missing'],
      [{ headers: {} }, 'signature_missing'],
    ];

    for (const [received, reason] of cases)
      expect(await reasonFor(received), JSON.stringify(received)).to.equal(reason);
    expect(await reasonFor({ headers: ofService(SECRET, old), toleranceS: 600 })).to.equal('accepted');
  });
});
