import { createTransport, type SentMessageInfo } from 'nodemailer';
import { accepted, rejected, type UpstreamResult, unknownEffect, unreachable } from '../../kernel/upstream-result.ts';
import type { Mailer } from './types.ts';

const CONNECT_WITHIN_MS = 5_000;
const SILENT_MS = 15_000;
const CONNECTIONS = 5;
const NOT_SENT = new Set(['ECONNECTION', 'EDNS', 'ETLS', 'EAUTH', 'ESOCKET', 'ENOAUTH']);

/** Sends mails over SMTP (RFC 5321) from one address. The Message-ID is derived from the mail's id. */
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
  } as Parameters<typeof createTransport>[0]); // as: the types accept `url` or the pool's options, not both
  return {
    send: ({ id, ...letter }) =>
      transport.sendMail({ from, ...letter, messageId: `<${id}@${domain}>` }).then(sent, (error) => failed(error)),
    close: () => transport.close(),
  };
}

const sent = ({ response }: SentMessageInfo): UpstreamResult<{ response: string }> =>
  accepted({ response: String(response) });

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** A 5xx is permanent, a 4xx temporary (RFC 5321, 4.2.1). Without a response to the data the effect is unknown. */
function failed({ code, responseCode, command }: SmtpError): UpstreamResult<never> {
  if (responseCode !== undefined && responseCode >= 500)
    return rejected(`smtp_${responseCode}`, 'The mail was rejected.');
  if (responseCode !== undefined) return unreachable(`smtp_${responseCode}`);
  const why = (code ?? 'unknown').toLowerCase();
  return NOT_SENT.has(code ?? '') || command === 'CONN' ? unreachable(why) : unknownEffect(why);
}
