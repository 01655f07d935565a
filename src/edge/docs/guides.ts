import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { escaped } from '../../kernel/html.ts';
import { budgetTable } from './budgets.ts';
import { errorTable } from './errors.ts';
import { eventCatalogue } from './events.ts';
import { anchorOf, textOf } from './markup.ts';
import { type Guide, guides } from './navigation.ts';
import { throttleTable } from './throttles.ts';

const folder = new URL('../../docs/', import.meta.url);

/** What a comment of that name in a guide is replaced with. */
const generated: Record<string, () => string> = {
  budgets: budgetTable,
  errors: errorTable,
  events: eventCatalogue,
  'challenge-shop': () => `\`\`\`ts\n${readFileSync(new URL('examples/challenge-shop.ts', folder), 'utf8')}\`\`\``,
  throttles: throttleTable,
};

const marked = new Marked({
  renderer: {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      const id = anchorOf(textOf(html));
      return `<h${depth} id="${id}">${html}</h${depth}>\n`;
    },
    code({ text, lang = '' }) {
      return `<pre tabindex="0"><code class="language-${escaped(lang)}">${escaped(text)}\n</code></pre>\n`;
    },
    link({ href, tokens }) {
      const html = this.parser.parseInline(tokens);
      const target = servedAt(href);
      return target === null ? html : `<a href="${escaped(target)}">${html}</a>`;
    },
  },
});

/** The address of a link between guides; null for files of the repository, which are not served. */
function servedAt(href: string): string | null {
  const [file = '', heading] = href.split('#');
  if (/^(https:|\/)/.test(href) || file === '') return href;
  const found = guides.find((guide) => guide.file === file);
  return found ? `${found.path}${heading ? `#${heading}` : ''}` : null;
}

/** A guide in Markdown, with its generated parts. Those that are tables of HTML stay so, as Markdown allows. */
export const writtenGuide = ({ file }: Guide): string =>
  readFileSync(new URL(file, folder), 'utf8').replace(
    /^<!-- generated: ([\w-]+) -->$/gm,
    (_, name) => generated[name]?.() ?? '',
  );

/** The content of a guide as HTML. Wide tables scroll by themselves. */
export function renderGuide(guide: Guide): string {
  const { title } = guide;
  const html = marked.parse(writtenGuide(guide), { async: false });
  let count = 0;
  return html
    .replace(/<table>[\s\S]*?<\/table>/g, (table) => {
      count += 1;
      return `<div class="wide" tabindex="0" role="region" aria-label="${escaped(title)}: table ${count}">${table}</div>`;
    })
    .replaceAll('<th></th>', '<td></td>');
}

export { guides };
