import { createHash } from 'node:crypto';
import { escaped } from '../../../kernel/html.ts';
import type { Revealed } from './commands.ts';
import type { RevealLink } from './queries.ts';

const STYLE = `
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1.25rem; color: #16202c; background: #fff }
h1 { font-size: 1.5rem; line-height: 1.25 }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: .25rem 0 0 }
code { display: block; padding: .6rem .75rem; background: #eef2f6; border: 1px solid #9aa7b4; border-radius: 4px; overflow-wrap: anywhere; user-select: all }
button { font: inherit; font-weight: 600; padding: .7rem 1.3rem; color: #fff; background: #14508c; border: 2px solid #14508c; border-radius: 4px; cursor: pointer }
button:focus-visible { outline: 3px solid #e8a33d; outline-offset: 2px }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #10161d } code { background: #1c2631; border-color: #55636f }
  button { color: #10161d; background: #8ec5ff; border-color: #8ec5ff }
}`;

/** Disables the button after the first press: the response to a second one would replace the credentials with "already opened". */
const ONCE = `document.forms[0].addEventListener('submit', ({ submitter }) => { submitter.disabled = true; });`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The headers of every page. They allow only this style, this script and this form, and forbid caching, framing and sending the
 * address as a referrer.
 */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(ONCE)}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
};

/** The page with the button, a plain form that also works without the script. Loading the page does not open the link. */
export const waitingPage = ({ name }: RevealLink): string =>
  page(
    `Credentials of ${name}`,
    `<p>The button shows the client id and the client secret of <strong>${escaped(name)}</strong>.</p>
<p>They are shown <strong>once</strong>. Open your secret store before you continue.</p>
<form method="post"><button type="submit">Show the credentials</button></form>
<script>${ONCE}</script>`,
  );

/** The page with the credentials. */
export const revealedPage = ({ name, app_id, client_secret }: Revealed): string =>
  page(
    `Credentials of ${name}`,
    `<p>Copy both now: this page cannot be shown again.</p>
<dl>
<dt id="id">Client id</dt><dd><code aria-labelledby="id" data-field="client_id">${escaped(app_id)}</code></dd>
<dt id="secret">Client secret</dt><dd><code aria-labelledby="secret" data-field="client_secret">${escaped(client_secret)}</code></dd>
</dl>`,
  );

/** The page for a link that cannot be opened: the reason, and what to do. */
export function unusablePage(link: RevealLink | null): string {
  const [title, text] = whyUnusable(link);
  return page(title, `<p role="status">${text}</p><p>Ask the operator of this service for a new link.</p>`);
}

function whyUnusable(link: RevealLink | null): [title: string, text: string] {
  if (!link) return ['Unknown link', 'This link does not exist. Check that you copied all of it.'];
  if (link.is_superseded)
    return ['Replaced link', 'A newer link replaced this one. Credentials it showed are no longer valid.'];
  if (link.opened_at) {
    const at = `<time datetime="${link.opened_at}">${link.opened_at.slice(0, 19).replace('T', ' ')} UTC</time>`;
    return ['Already opened', `This link was opened at ${at}. If that was not you, someone else has the credentials.`];
  }
  if (link.is_disabled) return ['Access disabled', 'The access of this app is disabled at present.'];
  return ['Expired link', 'This link was valid for 72 hours and has expired.'];
}

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`;
