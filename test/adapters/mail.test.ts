import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
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

  /** What becomes of a mail to a server that says these lines, one to each command, the first as its greeting. */
  async function sendTo(lines: string[], user = '') {
    const server = createServer((socket) => {
      const left = [...lines];
      const respond = () => socket.write(`${left.shift() ?? '250 ok'}\r\n`);
      socket.on('error', () => {}).on('data', respond);
      respond();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const adapter = mailer({ url: `smtp://${user}127.0.0.1:${port}`, from: 'a@example.com', tls: 'required' });
    const result = await adapter.send(letter);
    adapter.close();
    server.close();
    return [result.kind, 'why' in result ? result.why : 'slug' in result ? result.slug : ''];
  }

  it('is sent later if the server rejects this service, and abandoned if it rejects the mail', async () => {
    const hello = ['220 hello', '250 AUTH PLAIN'];

    expect(await sendTo(['554 no service here'])).to.deep.equal(['unreachable', 'smtp_554']);
    expect(await sendTo([...hello, '535 wrong password'], 'user:pass@')).to.deep.equal(['unreachable', 'smtp_535']);
    expect(await sendTo([...hello, '530 authenticate first'])).to.deep.equal(['unreachable', 'smtp_530']);
    expect(await sendTo([...hello, '250 ok', '550 no such user'])).to.deep.equal(['rejected', 'smtp_550']);
    expect(await sendTo([...hello, '250 ok', '250 ok', '554 spam'])).to.deep.equal(['rejected', 'smtp_554']);
  });
});
