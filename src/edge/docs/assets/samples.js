/* A request as code. The server writes the contract's samples with it, and the workbench the request that is in its form. */

/** A part of a text that is read from the environment. */
const env = (name) => ({ env: name.replaceAll('-', '_').toUpperCase() });

const CREDENTIALS = {
  partnerKey: ['Authorization', ['Bearer ', env('KEY')]],
  appToken: ['Authorization', ['Bearer ', env('TOKEN')]],
  traderKey: ['X-Api-Key', [env('API_KEY')]],
  userSession: ['X-Session-Token', [env('SESSION')]],
  adminBearer: ['Authorization', ['Bearer ', env('OPERATOR_TOKEN')]],
  adminCookie: ['Cookie', [env('COOKIES')]],
  processorSignature: ['Stripe-Signature', [env('SIGNATURE')]],
};

const isJson = ({ type }) => type.includes('json');
const formOf = ({ value }) =>
  new URLSearchParams(Object.entries(Object(value)).map(([name, each]) => [name, `${each}`]));

/** The path and query as parts of a text. */
function targetOf({ path, members, query }) {
  const parts = path.split(/\{([\w-]+)\}/).map((part, n) => (n % 2 === 0 ? part : memberOf(part, members[part])));
  const search = Object.entries(query).flatMap(([name, value], n) => [
    `${n === 0 ? '?' : '&'}${encodeURIComponent(name)}=`,
    memberOf(name, value),
  ]);
  return [...parts, ...search].filter((part) => part !== '');
}

const memberOf = (name, value) => (value ? encodeURIComponent(value) : env(name));

/** Headers as pairs of a name and the parts of its value; without the key, which each language makes in its own way. */
function headersOf({ schemes, headers, body }) {
  const credentials = schemes.flatMap((scheme) => (CREDENTIALS[scheme] ? [CREDENTIALS[scheme]] : []));
  return [
    ...credentials,
    ...withoutCredentials(schemes, headers).map(([name, value]) => [name, [value || env(name)]]),
    ...(body ? [['Content-Type', [body.type]]] : []),
  ];
}

/** The headers that are no credential of a scheme, whatever was typed for one. */
const withoutCredentials = (schemes, headers) =>
  Object.entries(headers).filter(([name]) => !schemes.some((each) => CREDENTIALS[each]?.[0] === name));

const isBasic = ({ schemes }) => schemes.includes('clientBasic');

/** A text of parts, each written by one of two functions. */
const joined = (parts, text, variable) => parts.map((part) => (part.env ? variable(part.env) : text(part))).join('');

function curl(call) {
  const { method, takesKey, streams, body } = call;
  const inQuotes = (parts) =>
    `"${joined(
      parts,
      (text) => text.replace(/["\\$`]/g, '\\$&'),
      (name) => `$${name}`,
    )}"`;
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const verb = method === 'get' || (method === 'post' && body) ? '' : ` -X ${method.toUpperCase()}`;
  const sent = headersOf(call).filter(([name]) => name !== 'Content-Type' || isJson(body));
  return [
    `curl -s${streams ? 'N' : ''}${verb} ${inQuotes([env('URL'), ...targetOf(call)])}`,
    ...(isBasic(call) ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...sent.map(([name, parts]) => `-H ${inQuotes([`${name}: `, ...parts])}`),
    ...(takesKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body && isJson(body) ? [`-d ${quoted(JSON.stringify(body.value))}`] : []),
    ...(body && !isJson(body) ? [...formOf(body)].map(([name, value]) => `-d ${quoted(`${name}=${value}`)}`) : []),
  ].join(' \\\n  ');
}

/** A value as an object of TypeScript, whose lines after the first have an indentation. */
const literal = (value, indent) =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll('\n', `\n${indent}`);

const CLIENTS = {
  partnerKey: ['{ partnerKey: KEY }', ['KEY']],
  appToken: ['{ clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }', ['CLIENT_ID', 'CLIENT_SECRET']],
  traderKey: ['{ apiKey: API_KEY }', ['API_KEY']],
};

/** With the client, if it has these credentials and sends such a body; else with `fetch` alone. */
function typescript(call) {
  const scheme = call.schemes.find((each) => CLIENTS[each]);
  return scheme && (!call.body || isJson(call.body)) ? byClient(call, ...CLIENTS[scheme]) : byFetch(call);
}

function byClient(call, credentials, names) {
  const { method, path, schemes, members, query, headers, needsKey, streams, body } = call;
  const variables = ['URL', ...names, ...(schemes.includes('userSession') ? ['SESSION'] : [])];
  const valued = ([name, value]) => {
    if (value) return `'${name}': ${JSON.stringify(value)}`;
    variables.push(env(name).env);
    return `'${name}': ${env(name).env}`;
  };
  const typed = ([name, value]) =>
    /^(?:true|false|0|[1-9]\d{0,14})$/.test(value) ? `'${name}': ${value}` : valued([name, value]);
  const inPath = [...path.matchAll(/\{([\w-]+)\}/g)].map(([, name]) => typed([name, members[name]]));
  const named = withoutCredentials(schemes, headers).map(valued);
  if (needsKey) named.push("'Idempotency-Key': crypto.randomUUID()"); // the client sends one with every other write by itself
  const params = [
    ...(inPath.length > 0 ? [`path: { ${inPath.join(', ')} }`] : []),
    ...(named.length > 0 ? [`header: { ${named.join(', ')} }`] : []),
    ...(Object.keys(query).length > 0 ? [`query: { ${Object.entries(query).map(typed).join(', ')} }`] : []),
  ].map((each) => each.replace(/'([A-Za-z_]\w*)':/g, '$1:'));
  const options = [
    ...(params.length > 0 ? [`  params: { ${params.join(', ')} },`] : []),
    ...(body ? [`  body: ${literal(body.value, '  ')},`] : []),
  ];
  const session = schemes.includes('userSession') ? ", headers: { 'X-Session-Token': SESSION }" : '';
  const optional = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return [
    "import { connect } from 'trading-partner-service/client';",
    '',
    `const { ${variables.map((name) => `${name} = ''`).join(', ')} } = process.env;`,
    `const client = connect({ baseUrl: URL, credentials: ${credentials}${session} });`,
    ...(streams
      ? [`for await (const event of client.events('${path}')) console.log(event);`]
      : [`console.log(await client.settled(client.api.${method.toUpperCase()}('${path}'${optional})));`]),
  ].join('\n');
}

function byFetch(call) {
  const { method, takesKey, body } = call;
  const variables = new Set();
  const text = (parts) =>
    `\`${joined(
      parts,
      (plain) => plain.replace(/[`\\]|\$(?=\{)/g, '\\$&'),
      (name) => {
        variables.add(name);
        return `\${${name}}`;
      },
    )}\``;
  const url = text([env('URL'), ...targetOf(call)]);
  const headers = headersOf(call).map(([name, parts]) => `'${name}': ${text(parts)}`);
  if (isBasic(call)) {
    for (const name of ['CLIENT_ID', 'CLIENT_SECRET']) variables.add(name);
    headers.push(`'Authorization': \`Basic \${btoa(\`\${CLIENT_ID}:\${CLIENT_SECRET}\`)}\``);
  }
  if (takesKey) headers.push("'Idempotency-Key': crypto.randomUUID()");
  const made = body && (isJson(body) ? 'JSON.stringify' : 'new URLSearchParams');
  return [
    `const { ${[...variables].map((name) => `${name} = ''`).join(', ')} } = process.env;`,
    `const response = await fetch(${url}, {`,
    `  method: '${method.toUpperCase()}',`,
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((line) => `    ${line},`), '  },'] : []),
    ...(body
      ? [`  body: ${made}(${literal(isJson(body) ? body.value : Object.fromEntries(formOf(body)), '  ')}),`]
      : []),
    '});',
    'console.log(response.status, await response.text());',
    'export {};',
  ].join('\n');
}

const pythonValue = (value) =>
  JSON.stringify(value, null, 4).replace(/("(?:[^"\\]|\\.)*")|\b(true|false|null)\b/g, (whole, _, word) =>
    word ? { true: 'True', false: 'False', null: 'None' }[word] : whole,
  );

function python(call) {
  const { method, takesKey, streams, body } = call;
  const text = (parts) => {
    const isFormatted = parts.some((part) => part.env);
    const plain = (part) => JSON.stringify(part).slice(1, -1);
    const escaped = (part) => (isFormatted ? plain(part).replace(/[{}]/g, '$&$&') : plain(part));
    return `${isFormatted ? 'f' : ''}"${joined(parts, escaped, (name) => `{os.environ['${name}']}`)}"`;
  };
  const headers = headersOf(call).map(([name, parts]) => `"${name}": ${text(parts)}`);
  const basic = "base64.b64encode(f\"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}\".encode()).decode()";
  if (isBasic(call)) headers.push(`"Authorization": "Basic " + ${basic}`);
  if (takesKey) headers.push('"Idempotency-Key": str(uuid.uuid4())');
  const value =
    body && pythonValue(isJson(body) ? body.value : Object.fromEntries(formOf(body))).replaceAll('\n', '\n    ');
  const data = body && (isJson(body) ? `json.dumps(${value}).encode()` : `urllib.parse.urlencode(${value}).encode()`);
  const used = [
    ...(isBasic(call) ? ['base64'] : []),
    ...(data?.startsWith('json') ? ['json'] : []),
    'os',
    ...(data?.startsWith('urllib') ? ['urllib.parse'] : []),
    'urllib.request',
    ...(takesKey ? ['uuid'] : []),
  ];
  return [
    `import ${used.join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    ${text([env('URL'), ...targetOf(call)])},`,
    `    method="${method.toUpperCase()}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers.map((line) => `        ${line},`), '    },'] : []),
    ...(data ? [`    data=${data},`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    ...(streams
      ? ['    for line in response:', '        print(line.decode(), end="")']
      : ['    print(response.status, response.read().decode())']),
  ].join('\n');
}

function go(call) {
  const { method, takesKey, body } = call;
  const text = (parts) => parts.map((part) => (part.env ? `os.Getenv("${part.env}")` : JSON.stringify(part))).join('+');
  const raw = body && (isJson(body) ? JSON.stringify(body.value) : formOf(body).toString());
  const reader = body ? `strings.NewReader(${raw.includes('`') ? JSON.stringify(raw) : `\`${raw}\``})` : 'nil';
  const used = [
    ...(takesKey ? ['crypto/rand', 'encoding/hex'] : []),
    ...['fmt', 'io', 'net/http', 'os'],
    ...(body ? ['strings'] : []),
  ];
  return [
    'package main',
    '',
    `import (\n${used.map((name) => `\t"${name}"`).join('\n')}\n)`,
    '',
    'func main() {',
    `\trequest, err := http.NewRequest("${method.toUpperCase()}", ${text([env('URL'), ...targetOf(call)])}, ${reader})`,
    '\tif err != nil {\n\t\tpanic(err)\n\t}',
    ...headersOf(call).map(([name, parts]) => `\trequest.Header.Set("${name}", ${text(parts)})`),
    ...(isBasic(call) ? ['\trequest.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))'] : []),
    ...(takesKey
      ? [
          '\tkey := make([]byte, 16)',
          '\trand.Read(key)',
          '\trequest.Header.Set("Idempotency-Key", hex.EncodeToString(key))',
        ]
      : []),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {\n\t\tpanic(err)\n\t}',
    '\tdefer response.Body.Close()',
    '\tfmt.Println(response.Status)',
    '\tio.Copy(os.Stdout, response.Body)',
    '}',
  ].join('\n');
}

/** The languages in which a request is shown. */
export const languages = [
  { lang: 'Shell', label: 'curl', write: curl },
  { lang: 'TypeScript', label: 'TypeScript', write: typescript },
  { lang: 'Python', label: 'Python', write: python },
  { lang: 'Go', label: 'Go', write: go },
];
