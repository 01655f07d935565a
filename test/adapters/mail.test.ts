import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SMTPServer } from 'smtp-server';
import { mailer, type SmtpTls } from '../../src/adapters/mail/index.ts';
import { realSockets } from '../support/sockets.ts';

const letter = { id: 'id', to: 'trader@example.com', subject: 'Your code', text: '123456', html: '<p>123456</p>' };
/** This machine by an address that is not in the form of a loopback address. */
const ELSEWHERE = '[::ffff:127.0.0.1]';

describe('mail over smtp://', () => {
  let unmocked: () => void;
  before(() => {
    unmocked = realSockets();
  });
  after(() => unmocked());

  /** Sends one mail to a server with or without STARTTLS; `over` says how the server received it. */
  async function send(host: string, { startTls = false, tls = 'required' as SmtpTls, query = '' } = {}) {
    let over: 'plain' | 'tls' | 'nothing' = 'nothing';
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: startTls ? [] : ['STARTTLS'],
      onData(stream, { secure }, done) {
        over = secure ? 'tls' : 'plain';
        stream.resume().once('end', done);
      },
    });
    server.on('error', () => {}); // a client that gives up
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const { port } = server.server.address() as AddressInfo; // as: it listens on TCP
    const adapter = mailer({ url: `smtp://${host}:${port}${query}`, from: 'a@example.com', tls });
    const result = await adapter.send(letter);
    adapter.close();
    await new Promise<void>((resolve) => server.close(resolve));
    return { kind: result.kind, over };
  }

  it('sends nothing without STARTTLS, so that nobody on the way strips it and reads the codes', async () => {
    expect(await send(ELSEWHERE)).to.deep.equal({ kind: 'unreachable', over: 'nothing' });
    for (const query of ['?requireTLS=false', '?ignoreTLS=true', '?requireTLS=false&opportunisticTLS=true'])
      expect(await send(ELSEWHERE, { query }), query).to.deep.equal({ kind: 'unreachable', over: 'nothing' });
  });

  it('uses STARTTLS, and does not trust an unknown certificate', async () => {
    const trusting = '?tls.rejectUnauthorized=false';

    expect(await send(ELSEWHERE, { startTls: true, query: trusting })).to.deep.equal({ kind: 'accepted', over: 'tls' });
    expect((await send(ELSEWHERE, { startTls: true })).over).to.equal('nothing');
  });

  it('may be plain on this machine, and elsewhere only where a setting allows it', async () => {
    const plain = { kind: 'accepted', over: 'plain' };

    expect(await send('127.0.0.1')).to.deep.equal(plain);
    expect(await send('localhost')).to.deep.equal(plain);
    expect(await send(ELSEWHERE, { tls: 'opportunistic' })).to.deep.equal(plain);
  });
});
