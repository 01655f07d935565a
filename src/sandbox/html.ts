import { escaped, htmlDocument } from '../kernel/html.ts';

const STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse}td,th{text-align:left;padding:.3rem .8rem .3rem 0;vertical-align:top}
button,input{font:inherit;padding:.5rem .9rem;margin:.5rem .5rem 0 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere}iframe{width:100%;height:40rem;border:1px solid;background:#fff}`;

/** A whole page of the sandbox. `title` is a text, `content` is HTML. */
export const htmlPage = (title: string, content: string): string =>
  htmlDocument({ title: `${title} (sandbox)`, heading: title, style: STYLE, content });

/** A table of HTML cells below texts as headings. */
export const htmlTable = (headings: string[], rows: string[][]): string =>
  `<table><thead><tr>${headings.map((text) => `<th scope="col">${escaped(text)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table>`;

/** A text in which addresses of the web are links. */
export const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, n) =>
      n % 2 === 1 ? `<a href="${escaped(part)}" rel="noreferrer">${escaped(part)}</a>` : escaped(part),
    )
    .join('');
