import { createTransport, type SentMessageInfo } from 'nodemailer';
import { atOnce, NO_TURN } from '../../kernel/at-once.ts';
import { isLoopbackHost } from '../../kernel/loopback.ts';
import { accepted, rejected, type UpstreamResult, unknownEffect, unreachable } from '../../kernel/upstream-result.ts';
import { noteWork } from '../../kernel/work.ts';
import type { Mailer } from './types.ts';

const CONNECT_WITHIN_MS = 5_000;
const SILENT_MS = 15_000;
const CONNECTIONS = 5;
const BULK_CONNECTIONS = 3; // codes and links, which somebody waits for, always find another one
/** For each kind of mail: a waiting mail holds a job of the queue, and thousands may be due. */
const WAITING = { mostWaiting: BULK_CONNECTIONS };
const NOT_SENT = new Set(['ECONNECTION', 'EDNS', 'ETLS', 'EAUTH', 'ESOCKET', 'ENOAUTH']);

/** Whether a plain connection must be upgraded by STARTTLS (RFC 3207) before anything is sent. */
export type SmtpTls = 'required' | 'opportunistic';

type Access = { url: string; from: string; tls: SmtpTls; most?: number };

/**
 * Sends mails over SMTP (RFC 5321) from one address. The Message-ID is derived from the mail's id. With `tls` required,
 * nothing is sent over a plain connection to another machine. `most`: how many mails may be outstanding at once; absent: any number.
 */
export function mailer({ url, from, tls, most = Number.POSITIVE_INFINITY }: Access): Mailer {
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
  const transport = createTransport({
    url: withoutTlsSwitches(url),
    requireTLS: tls === 'required' && !isLoopbackHost(new URL(url).hostname),
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0]); // as: the types accept `url` or the pool's options, not both
  const bulk = atOnce(Math.min(most, BULK_CONNECTIONS), WAITING);
  const usual = atOnce(Math.max(Math.min(most, CONNECTIONS), most - 3 * BULK_CONNECTIONS), WAITING); // the rest is for bulk mails and for mails that wait
  return {
    async send({ id, isBulk = false, ...letter }) {
      const mail = { from, ...letter, messageId: `<${id}@${domain}>` };
      const turns = isBulk ? bulk : usual;
      const post = () => {
        noteWork({ isAsked: true });
        return transport.sendMail(mail).then(sent, (error) => failed(error));
      };
      return (await turns.run(post, hasResponded)) ?? unreachable(NO_TURN);
    },
    close: () => transport.close(),
  };
}

/** The switches that nodemailer reads from a URL: only the setting decides. */
function withoutTlsSwitches(text: string): string {
  const url = new URL(text);
  for (const name of [...url.searchParams.keys()]) if (/TLS$/i.test(name)) url.searchParams.delete(name);
  return url.href;
}

/** Whether the server said something: to the mail, or of its connection or credentials. */
const hasResponded = (result: UpstreamResult<unknown>): boolean =>
  result.kind === 'accepted' || result.kind === 'rejected' || result.why.startsWith('smtp_');

const sent = ({ response }: SentMessageInfo): UpstreamResult<{ response: string }> =>
  accepted({ response: String(response) });

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** Errors at the envelope or the data of a mail. Others are of the connection: any mail would have had them. */
const OF_A_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);
/** RFC 4954, section 6: the server does not accept this service's authentication. */
const isOfCredentials = (responseCode: number) => responseCode >= 530 && responseCode < 540;

/**
 * A 5xx to a mail is permanent, a 4xx temporary (RFC 5321, 4.2.1); one to the connection or to this service's credentials says
 * nothing of the mail. Without a response to the data the effect is unknown.
 */
function failed({ code, responseCode, command }: SmtpError): UpstreamResult<never> {
  if (code === 'ETLS') return unreachable('etls'); // the server, or an attacker on the way, offers no STARTTLS
  if (responseCode !== undefined && responseCode >= 500 && OF_A_MAIL.has(code ?? '') && !isOfCredentials(responseCode))
    return rejected(`smtp_${responseCode}`, 'The mail was rejected.');
  if (responseCode !== undefined) return unreachable(`smtp_${responseCode}`);
  const why = (code ?? 'unknown').toLowerCase();
  return NOT_SENT.has(code ?? '') || command === 'CONN' ? unreachable(why) : unknownEffect(why);
}
