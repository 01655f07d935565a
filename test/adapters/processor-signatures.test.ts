import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { processor } from '../../src/adapters/processor/index.ts';

const SECRETS = ['whsec_platform', 'whsec_connect'];
const upstream = processor({
  url: 'https://processor.test',
  secretKey: 'sk_test_1',
  notificationSecret: ` ${SECRETS.join(' , ')} `,
});
const raw = JSON.stringify({
  id: 'evt_1',
  type: 'invoice.paid',
  created: 1,
  livemode: false,
  data: { object: { id: 'in_1' } },
});

/** The processor's scheme, from its documentation: v1 is HMAC-SHA-256 of `t.body`. */
const v1 = (secret: string, t: number, body = raw) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
const nowS = () => Math.floor(Date.now() / 1000);
const header = (secret: string, t = nowS(), body = raw) => `t=${t},v1=${v1(secret, t, body)}`;

describe('notifications of the processor', () => {
  it('are read if one of the secrets signed them in the last 300 s', () => {
    for (const secret of SECRETS) expect(upstream.readNotification(raw, header(secret))).to.include({ id: 'evt_1' });
    expect(upstream.readNotification(raw, header('whsec_platform', nowS() - 290))).to.include({ id: 'evt_1' });
    const t = nowS();
    const rotated = `t=${t},v1=${v1('whsec_old', t)},v1=${v1('whsec_platform', t)},v0=${'a'.repeat(64)}`;
    expect(upstream.readNotification(raw, rotated)).to.include({ id: 'evt_1' });
  });

  it('are unsigned with any other secret, time, body or header', () => {
    const t = nowS();
    const good = header('whsec_platform', t);
    const code = v1('whsec_platform', t);
    const headers = [
      header('whsec_another'),
      header(''),
      header('whsec_platform', t - 302),
      header('whsec_platform', t, `${raw} `),
      `t=${t + 1},v1=${code}`,
      `t=${t},v0=${code}`,
      `t=${t},v1=${code.slice(0, -1)}${code.endsWith('0') ? '1' : '0'}`,
      `t=${t},v1=${code.slice(0, -2)}`,
      `t=${t},v1=`,
      `v1=${code}`,
      `x,${good}`,
      `${good},x`,
      `${good}, v1=${code}`,
      `t=${'1'.repeat(13)},v1=${code}`,
      `t=${t},v1=${'a'.repeat(129)},v1=${code}`,
      `t=${t}${`,v1=${code}`.repeat(11)}`,
      't=,v1=',
      '',
    ];

    for (const each of headers) expect(upstream.readNotification(raw, each), each).to.equal('unsigned');
    expect(upstream.readNotification(`${raw} `, good)).to.equal('unsigned');
  });

  it('are unreadable, though signed, without an id', () => {
    for (const body of ['{}', 'no JSON', ''])
      expect(upstream.readNotification(body, header('whsec_platform', nowS(), body)), body).to.be.oneOf([
        'unreadable',
        'unsigned',
      ]);
    expect(upstream.readNotification('{}', header('whsec_platform', nowS(), '{}'))).to.equal('unreadable');
  });
});
