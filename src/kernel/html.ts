const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as HTML, for an element or a quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** A page with one heading. `title` and `heading` are texts, `style` is CSS, `content` is HTML. */
type HtmlPage = { title: string; heading: string; style: string; content: string };

/** A whole HTML document. */
export const htmlDocument = ({ title, heading, style, content }: HtmlPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(heading)}</h1>
${content}
</main>
</body>
</html>
`;
