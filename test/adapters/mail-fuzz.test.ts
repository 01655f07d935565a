import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { mailer } from '../../src/adapters/mail/index.ts';
import { realSockets } from '../support/sockets.ts';

const LINES = {
  nothing: '',
  'a page': 'HTTP/1.1 503 Unavailable\r\ncontent-type: text/html\r\n\r\n<html></html>\r\n',
  'a JSON text': '"service unavailable"\r\n',
  bytes: '\u0000\u0001\ufffd\r\n',
  'half a line': '25',
  'no text': '250\r\n',
  'a temporary no': '451 later\r\n',
  'a permanent no': '554 never\r\n',
  'a code of nobody': '999 what\r\n',
  '2 MB': `250-${'x'.repeat(2_000_000)}\r\n`,
};
const STEPS = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'message'] as const;

describe('any line of a mail server', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  let unmocked: () => void;
  before(() => {
    unmocked = realSockets();
    process.on('unhandledRejection', note);
  });
  after(() => {
    process.off('unhandledRejection', note);
    unmocked();
  });

  for (const step of STEPS)
    it(`is one of the adapter’s results, as the response to ${step}`, async () => {
      for (const [what, line] of Object.entries(LINES)) {
        const server = await serverThatSays(step, line);
        const { port } = server.address() as AddressInfo; // as: it listens on TCP
        const mail = mailer({ url: `smtp://127.0.0.1:${port}`, from: 'a@b.example', tls: 'opportunistic' });
        const result = await mail.send({ id: '1', to: 'c@d.example', subject: 's', text: 't', html: 'h' });
        mail.close();
        server.close();
        expect(result.kind, what).to.be.oneOf(['accepted', 'rejected', 'unreachable', 'unknown']);
        if (result.kind === 'accepted') expect([step, what]).to.deep.equal(['message', 'no text']);
      }
      expect(unhandled).to.deep.equal([]);
    });
});

const USUAL = {
  greeting: '220 hello\r\n',
  EHLO: '250 hello\r\n',
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
  DATA: '354 go\r\n',
};

/** A server that speaks SMTP until this step, says the line there, and closes. */
async function serverThatSays(step: (typeof STEPS)[number], line: string): Promise<Server> {
  const server = createServer((socket) => {
    let isMessage = false;
    const say = (at: keyof typeof USUAL | 'message') => {
      if (at === step) socket.end(line);
      else if (at === 'message') socket.end('250 queued\r\n');
      else socket.write(USUAL[at]);
    };
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const text = data.toString();
      if (isMessage) {
        if (text.endsWith('\r\n.\r\n')) say('message');
        return;
      }
      const verb = (['EHLO', 'MAIL', 'RCPT', 'DATA'] as const).find((name) => text.toUpperCase().startsWith(name));
      isMessage = verb === 'DATA' && step !== 'DATA';
      if (verb) say(verb);
      else socket.end('502 unknown\r\n');
    });
    say('greeting');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
