const SECRETS = ['private_key', 'client_secret', 'password', 'access_token', 'session_token', 'secret'];
const SECRET_HEADERS = ['authorization', 'x-session-token'];
const NOT_SHOWN = '(not shown)';
const SHOWN = [
  ...['trader-id', 'prefer', 'idempotency-key', ...SECRET_HEADERS],
  ...['location', 'retry-after', 'preference-applied', 'idempotent-replayed', 'www-authenticate'],
];

/** The `fetch` of the tour's clients: shows each request with its response, without secrets. A poll that shows nothing new is left out. */
export function showing(say: (line: string) => void): typeof fetch {
  let before = '';
  return async (url, init = {}) => {
    const { pathname, search } = new URL(String(url));
    const response = await fetch(url, init);
    const text = await response.clone().text();
    const isForm = new Headers(init.headers).get('content-type') === 'application/x-www-form-urlencoded';
    const body = init.body && !isForm ? [`      ${withoutSecrets(String(init.body))}`] : [];
    const lines = [
      `  ${init.method ?? 'GET'} ${pathname}${search}${shownHeaders(new Headers(init.headers))}`,
      ...body,
      `  ${response.status}  ${text && withoutSecrets(text)}${shownHeaders(response.headers)}`,
    ];
    if (lines.join() !== before) lines.map(say);
    before = lines.join();
    return response;
  };
}

const withoutSecrets = (text: string) =>
  JSON.stringify(JSON.parse(text), (name, value) => (value && SECRETS.includes(name) ? NOT_SHOWN : value));

const shownHeaders = (headers: Headers) =>
  [...headers]
    .filter(([name]) => SHOWN.includes(name))
    .map(([name, value]) => `   ${name}: ${SECRET_HEADERS.includes(name) ? NOT_SHOWN : value}`)
    .join('');
