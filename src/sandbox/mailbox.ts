import { escaped, htmlPage, htmlTable, withLinks } from './html.ts';
import type { ReceivedMail } from './mail.ts';
import { type Call, type Reported, wantsPage } from './upstream.ts';

/** The mails as JSON, oldest first; for a browser a page with the newest first. `?to=` filters by recipient. */
export const mailsResponse = (mails: readonly ReceivedMail[], call: Call): Reported =>
  wantsPage(call)
    ? { status: 200, page: true, body: listPage(mails, call.query.get('to')) }
    : { status: 200, body: mails };

/** One mail, as JSON or as a page. Its HTML is shown in a frame that runs nothing and loads nothing. */
export function mailResponse(mails: readonly ReceivedMail[], call: Call): Reported {
  const mail = mails.find(({ seq }) => String(seq) === call.params.seq);
  if (!mail) return { status: 404, body: { error: 'no such mail' } };
  return wantsPage(call) ? { status: 200, page: true, body: mailPage(mail) } : { status: 200, body: mail };
}

const listPage = (mails: readonly ReceivedMail[], to: string | null): string => {
  const rows = mails
    .toReversed()
    .map(({ seq, at, to: recipients, subject }) => [
      timeOf(at),
      escaped(recipients.join(', ')),
      `<a href="/sandbox/mails/${seq}">${escaped(subject || '(no subject)')}</a>`,
    ]);
  const search = `<form><label>To <input name="to" type="email" value="${escaped(to ?? '')}"></label><button>Show</button></form>`;
  const list = rows.length > 0 ? htmlTable(['received', 'to', 'subject'], rows) : '<p>No mails.</p>';
  return htmlPage('Mails', `${search}\n${list}`);
};

const mailPage = ({ at, to, subject, text, html }: ReceivedMail): string => {
  const framed =
    html && `<h2>As HTML</h2>\n<iframe sandbox title="The mail as HTML" srcdoc="${escaped(html)}"></iframe>`;
  return htmlPage(
    subject || '(no subject)',
    `<p>To ${escaped(to.join(', '))}, ${timeOf(at)}. <a href="/sandbox/mails">All mails</a></p>
<pre>${withLinks(text)}</pre>
${framed}`,
  );
};

const timeOf = (atMs: number) => {
  const time = new Date(atMs).toISOString();
  return `<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')}</time>`;
};
