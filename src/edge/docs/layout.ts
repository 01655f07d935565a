import { escaped } from '../../kernel/html.ts';
import { type Guide, guides } from './navigation.ts';

/** A page: its title, its path, its content as HTML, and what it loads beside the usual script. */
export type Page = { title: string; path: string; body: string; scripts?: string[] };

/** The HTML of a page, with the search and the list of all pages. */
export const layout = ({ title, path, body, scripts = [] }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}: Trading Partner Service</title>
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
${scripts.map((src) => `<script defer src="${src}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/docs">Trading Partner Service</a>
<form role="search" action="/docs" method="get">
<label for="search">Search</label>
<input id="search" name="q" type="search" autocomplete="off" spellcheck="false" placeholder="tp-sl, V2_INVALID_SCOPE, payment.succeeded">
</form>
</header>
<nav aria-label="Guides">
<details id="pages" open>
<summary>All pages</summary>
${sections(path)}
</details>
</nav>
<main id="content" tabindex="-1">
<section id="found" aria-label="Search results" aria-live="polite" hidden></section>
${body}
</main>
</body>
</html>
`;

const sections = (path: string) =>
  Object.entries(Object.groupBy([...guides, ...elsewhere], ({ section }) => section))
    .map(
      ([name, entries = []]) => `<h2>${name}</h2>\n<ul>\n${entries.map((each) => entry(each, path)).join('\n')}\n</ul>`,
    )
    .join('\n');

const entry = ({ path: href, title }: Pick<Guide, 'path' | 'title'>, path: string) =>
  `<li><a href="${href}"${href === path ? ' aria-current="page"' : ''}${href.endsWith('.json') ? ' download' : ''}>${escaped(title)}</a></li>`;

const elsewhere = [
  { section: 'Reference', path: '/docs/reference', title: 'Operations' },
  { section: 'Reference', path: '/openapi.json', title: 'OpenAPI document' },
  { section: 'Reference', path: '/docs/postman.json', title: 'Postman collection' },
  { section: 'Reference', path: '/docs/llms.txt', title: 'Index for tools' },
];
