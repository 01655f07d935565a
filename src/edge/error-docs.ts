import { errors } from '../kernel/errors.ts';

/** The path of the page below; an error's `type` is its URL with the code as fragment. */
export const ERRORS_PATH = '/docs/errors';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const rows = Object.entries(errors).map(
  ([code, [status, title]]) =>
    `<tr id="${code}"><th scope="row"><a href="#${code}">${code}</a></th><td>${status}</td><td>${escaped(title)}</td></tr>`,
);

/** The error catalogue as a page: code, HTTP status and title, with an anchor for each code. */
export const errorsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Trading Partner Service: errors</title>
</head>
<body>
<h1>Errors</h1>
<p>Errors are problem documents of RFC 9457. Clients branch on <code>error.code</code>. Codes keep their meaning; new ones
may be added.</p>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Title</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
