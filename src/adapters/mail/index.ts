import { createTransport, type SentMessageInfo } from 'nodemailer';
import { type Answer, accepted, inDoubt, rejected, unreachable } from '../../kernel/answer.ts';
import type { Mailer } from './types.ts';

const CONNECT_WITHIN_MS = 5_000;
const SILENT_MS = 15_000;
const CONNECTIONS = 5;
const NOT_SENT = new Set(['ECONNECTION', 'EDNS', 'ETLS', 'EAUTH', 'ESOCKET', 'ENOAUTH']);

/** Sends mails over SMTP (RFC 5321), from one address. The message's id is made from the letter's. */
export function mailer({ url, from }: { url: string; from: string }): Mailer {
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0]); // as: its types know `url` and the pool's options only apart
  return {
    send: ({ id, ...letter }) =>
      transport.sendMail({ from, ...letter, messageId: `<${id}@${domain}>` }).then(sent, (error) => failed(error)),
    close: () => transport.close(),
  };
}

const sent = ({ response }: SentMessageInfo): Answer<{ response: string }> => accepted({ response: String(response) });

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** A 5xx is the server's final word (RFC 5321, 4.2.1), a 4xx one for now; without an answer to the data nothing is known. */
function failed({ code, responseCode, command }: SmtpError): Answer<never> {
  if (responseCode !== undefined && responseCode >= 500)
    return rejected(`smtp_${responseCode}`, 'The mail was refused.');
  if (responseCode !== undefined) return unreachable(`smtp_${responseCode}`);
  const why = (code ?? 'unknown').toLowerCase();
  return NOT_SENT.has(code ?? '') || command === 'CONN' ? unreachable(why) : inDoubt(why);
}
