import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { reachedAt } from '../kernel/loopback.ts';

/** A received mail. `raw` is the whole message. */
export type ReceivedMail = {
  seq: number;
  at: number;
  to: string[];
  message_id: string;
  subject: string;
  text: string;
  html: string;
  raw: string;
};

/** An SMTP server that stores mails. */
export type MailUpstream = {
  smtpUrl: string;
  /** All mails, or those of a recipient, oldest first. */
  mails(to?: string): readonly ReceivedMail[];
  close(): Promise<void>;
};

/**
 * Starts the server on a free port. Recipients that start with `bounce` are rejected permanently; those that start
 * with `greylist` are rejected at the first attempt only; those that start with `busy` are rejected until later, always.
 */
export async function startMailUpstream(host = '127.0.0.1'): Promise<MailUpstream> {
  const received: ReceivedMail[] = [];
  const greylisted = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => done(errorOf(address, greylisted)),
    onData: (stream, session, done) => {
      keep(stream, session, received).then(() => done(), done);
    },
  });
  server.on('error', () => {}); // the sender disconnected
  server.listen(0, host);
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo; // as: it listens on TCP
  const mails = (to?: string) => received.filter((mail) => to === undefined || mail.to.includes(to));
  return {
    smtpUrl: `smtp://${reachedAt(host)}:${port}`,
    mails,
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

function errorOf(address: string, greylisted: Set<string>): Error | null {
  if (address.startsWith('bounce')) return Object.assign(new Error('No such mailbox'), { responseCode: 550 });
  const isGreylisted = address.startsWith('greylist') && !greylisted.has(address);
  if (!isGreylisted && !address.startsWith('busy')) return null;
  greylisted.add(address);
  return Object.assign(new Error('Try again later'), { responseCode: 451 });
}

async function keep(stream: SMTPServerDataStream, session: SMTPServerSession, received: ReceivedMail[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer); // as: no encoding was set
  const raw = Buffer.concat(chunks).toString('utf8');
  const to = session.envelope.rcptTo.map(({ address }) => address);
  const { messageId = '', subject = '', text = '', html = '' } = await PostalMime.parse(raw);
  received.push({ seq: received.length + 1, at: Date.now(), to, message_id: messageId, subject, text, html, raw });
}
