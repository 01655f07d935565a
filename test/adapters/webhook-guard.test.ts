import { expect } from 'chai';
import { webhooks } from '../../src/adapters/webhook/index.ts';
import type { Outgoing, Resolve } from '../../src/adapters/webhook/types.ts';
import { type Form, insideForms } from '../support/forms.ts';
import { startReceiver } from '../support/receivers.ts';
import { type Listeners, listenInside, realSockets, watchSockets } from '../support/sockets.ts';

const outgoing = (url: string): Outgoing => ({
  deliveryId: 'whd_1',
  eventType: 'payment.succeeded',
  url,
  body: '{}',
  secrets: ['whsec_c2VjcmV0'],
});

describe('the guard of outgoing addresses', () => {
  let inside: Listeners;
  let sockets: ReturnType<typeof watchSockets>;
  let unmocked: () => void;

  before(async () => {
    unmocked = realSockets();
    inside = await listenInside();
    sockets = watchSockets();
  });
  after(async () => {
    sockets.stop();
    await inside.close();
    unmocked();
  });
  beforeEach(() => sockets.hosts.splice(0));

  const resolverOf = (forms: Form[]): Resolve => {
    const responses = new Map(forms.map(({ url, responses = [] }) => [URL.parse(url)?.hostname, responses]));
    return async (hostname) =>
      /(^|\.)localhost\.?$/.test(hostname) ? ['127.0.0.1', '::1'] : (responses.get(hostname) ?? []);
  };

  it('opens no connection to an internal address in any form', async () => {
    const forms = insideForms(inside.port);
    const adapter = webhooks({ allowLoopback: false, resolve: resolverOf(forms) });

    const allowed = [];
    for (const { url } of forms) {
      const verdict = await adapter.judge(url);
      const sent = await adapter.send(outgoing(url));
      if (verdict.kind === 'allowed' || sent.kind === 'response') allowed.push(url);
    }

    console.log(
      `    ${forms.length} forms, ${sockets.hosts.length} connections tried, ${inside.connections()} arrived`,
    );
    expect(forms.length).to.be.at.least(150);
    expect(allowed).to.deep.equal([]);
    expect(sockets.hosts).to.deep.equal([]);
    expect(inside.connections()).to.equal(0);
  });

  it('connects to the address it checked, even when the name resolves differently a moment later', async () => {
    const responses = [['93.184.216.34'], ['127.0.0.1'], ['127.0.0.1']];
    const adapter = webhooks({ allowLoopback: false, resolve: async () => responses.shift() ?? ['127.0.0.1'] });
    const url = `https://rebinding.example:${inside.port}/`;

    const first = await adapter.send(outgoing(url));
    const second = await adapter.send(outgoing(url));

    expect(first).to.include({ kind: 'fault', fault: 'connect' });
    expect(second).to.include({ kind: 'fault', fault: 'address_forbidden' });
    expect(sockets.hosts).to.deep.equal(['93.184.216.34']);
    expect(inside.connections()).to.equal(0);
  });

  it('follows no redirect', async () => {
    const receiver = await startReceiver();
    const adapter = webhooks({ allowLoopback: true });

    for (const status of [301, 302, 303, 307, 308]) {
      receiver.behave(() => ({ status, headers: { Location: `http://127.0.0.1:${inside.port}/` } }));
      expect(await adapter.send(outgoing(receiver.url))).to.include({ kind: 'response', status });
    }

    expect(receiver.ledger).to.have.length(5);
    expect(inside.connections()).to.equal(0);
    adapter.close();
    await receiver.close();
  });

  it('allows a plain public address, and this machine only where the setting allows it', async () => {
    const resolve: Resolve = async () => ['93.184.216.34', '2606:4700::6810:1'];
    const closed = webhooks({ allowLoopback: false, resolve });
    const open = webhooks({ allowLoopback: true, resolve });

    expect(await closed.judge('https://partner.example/hook')).to.include({ kind: 'allowed' });
    expect(await closed.judge('https://93.184.216.34/hook')).to.include({ kind: 'allowed' });
    expect(await closed.judge('https://127.0.0.1/')).to.deep.equal({ kind: 'forbidden', why: 'special_address' });
    expect(await open.judge('http://127.0.0.1:8080/')).to.include({ kind: 'allowed' });
    expect(await open.judge('https://[::1]/')).to.include({ kind: 'allowed' });
    expect(await open.judge('http://partner.example/')).to.deep.equal({ kind: 'forbidden', why: 'scheme' });
    const offline = webhooks({ allowLoopback: true, resolve: () => Promise.reject(new Error('SERVFAIL')) });
    expect(await offline.judge('http://partner.example/')).to.deep.equal({ kind: 'forbidden', why: 'scheme' });
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '[fd00::1]']) {
      expect(await open.judge(`https://${host}/`), host).to.deep.equal({ kind: 'forbidden', why: 'special_address' });
    }
  });

  it('distinguishes a name without an address from a forbidden one', async () => {
    const failing = webhooks({ allowLoopback: false, resolve: () => Promise.reject(new Error('SERVFAIL')) });
    const hanging = webhooks({ allowLoopback: false, resolve: () => new Promise(() => {}), totalMs: 50 });

    expect(await failing.judge('https://partner.example/')).to.deep.equal({ kind: 'unresolved' });
    expect(await failing.send(outgoing('https://partner.example/'))).to.include({ kind: 'fault', fault: 'dns' });
    expect(await hanging.send(outgoing('https://partner.example/'))).to.include({ kind: 'fault', fault: 'dns' });
  });
});
