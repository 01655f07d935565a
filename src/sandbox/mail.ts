import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { scriptedFaults } from './faults.ts';
import { readLetter } from './letters.ts';
import { startParty } from './party.ts';

/** A mail as it arrived; `raw` is the whole message. */
type ReceivedMail = {
  seq: number;
  at: number;
  to: string[];
  message_id: string;
  subject: string;
  text: string;
  html: string;
  raw: string;
};

/** An SMTP server that keeps what it is given, and shows it at `readUrl`. */
export type MailParty = {
  smtpUrl: string;
  /** GET gives every mail, oldest first; `?to=` those for one recipient. */
  readUrl: string;
  mails(to?: string): readonly ReceivedMail[];
  close(): Promise<void>;
};

/**
 * Starts the sink on free ports of this machine. Recipients beginning with `bounce` are refused for good, those with
 * `greylist` at their first try.
 */
export async function startMailParty(): Promise<MailParty> {
  const received: ReceivedMail[] = [];
  const greylisted = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => done(refusalOf(address, greylisted)),
    onData: (stream, session, done) => {
      keep(stream, session, received).then(() => done(), done);
    },
  });
  server.on('error', () => {}); // a sender that hung up
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo; // as: it listens on TCP
  const mails = (to?: string) => received.filter((mail) => to === undefined || mail.to.includes(to));
  const show = ({ query }: { query: URLSearchParams }) => ({ status: 200, body: mails(query.get('to') ?? undefined) });
  const reading = await startParty(0, [{ method: 'GET', path: '/sandbox/mail', answer: show }], scriptedFaults());
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    readUrl: `${reading.url}/sandbox/mail`,
    mails,
    async close() {
      await reading.close();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

function refusalOf(address: string, greylisted: Set<string>): Error | null {
  if (address.startsWith('bounce')) return Object.assign(new Error('No such mailbox'), { responseCode: 550 });
  if (!address.startsWith('greylist') || greylisted.has(address)) return null;
  greylisted.add(address);
  return Object.assign(new Error('Try again later'), { responseCode: 451 });
}

async function keep(stream: SMTPServerDataStream, session: SMTPServerSession, received: ReceivedMail[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer); // as: no encoding was set
  const raw = Buffer.concat(chunks).toString('utf8');
  const to = session.envelope.rcptTo.map(({ address }) => address);
  received.push({ seq: received.length + 1, at: Date.now(), to, ...readLetter(raw), raw });
}
