import type { Operation } from '../../contract/document.ts';
import { escaped } from '../../kernel/html.ts';
import type { Json } from './schemas.ts';

type Media = { example?: unknown; examples?: Record<string, { summary?: string; value: unknown }> };

/** The examples of an operation: a request as a curl command, and the responses. */
export function exampleBlocks(operation: Operation, spec: Json): string {
  const body = (spec.requestBody as { content: Record<string, Media> } | undefined)?.content ?? {};
  const requests = Object.entries(body).flatMap(([type, media]) => valuesOf(media).map((value) => ({ type, value })));
  const replies = Object.entries(spec.responses as Record<string, { content?: Record<string, Media> }>).flatMap(
    ([status, { content = {} }]) =>
      Object.values(content).flatMap((media) => valuesOf(media).map((value) => ({ status, value }))),
  );
  const commands = requests.length > 0 ? requests : [{ type: '', value: undefined }];
  return [
    '<h4>Examples</h4>',
    ...commands.map(({ type, value }) => block(curl(operation, type, value))),
    ...replies.map(({ status, value }) => `<p>${status}</p>\n${block(textOf(value))}`),
  ].join('\n');
}

/** What a request sent from the page begins with; null for streams, which do not end. */
export function trialOf({ method, path, security, parameters }: Operation, spec: Json): object | null {
  const [type, media] =
    Object.entries((spec.requestBody as { content: Record<string, Media> } | undefined)?.content ?? {})[0] ?? [];
  const responses = Object.values(spec.responses as Record<string, { content?: object }>);
  if (responses.some(({ content = {} }) => 'text/event-stream' in content)) return null;
  const required = parameters.filter((parameter) => parameter.required && parameter.in === 'header');
  return {
    method: method.toUpperCase(),
    path,
    headers: [
      ...(security[0] ?? []).flatMap(({ scheme }) => HEADERS[scheme] ?? []),
      ...required.map(({ name }) => `${name}: `),
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ],
    ...(type !== undefined && media && { body: bodyOf(type, valuesOf(media)[0] ?? {}) }),
  };
}

/** Of an operator the browser sends the cookie itself. */
const HEADERS: Record<string, string[]> = {
  partnerKey: ['Authorization: Bearer '],
  appToken: ['Authorization: Bearer '],
  traderKey: ['X-Api-Key: '],
  userSession: ['X-Session-Token: '],
  adminBearer: ['Authorization: Bearer '],
  clientBasic: ['Authorization: Basic '],
};

const bodyOf = (type: string, value: unknown): string =>
  type.includes('json') ? JSON.stringify(value, null, 2) : new URLSearchParams(Object(value)).toString();

const valuesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

const block = (text: string) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>`;

const CREDENTIALS: Record<string, string[]> = {
  partnerKey: ['-H "Authorization: Bearer $KEY"'],
  appToken: ['-H "Authorization: Bearer $TOKEN"'],
  traderKey: ['-H "X-Api-Key: $API_KEY"'],
  userSession: ['-H "X-Session-Token: $SESSION"'],
  adminBearer: ['-H "Authorization: Bearer $OPERATOR_TOKEN"'],
  adminCookie: ['-b "$COOKIES"'],
  clientBasic: ['-u "$CLIENT_ID:$CLIENT_SECRET"'],
};

/** A request as a command. Path parameters and credentials are variables of the shell; a write has a key. */
function curl({ method, path, security, parameters }: Operation, type: string, value: unknown): string {
  const url = `"$URL${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}"`;
  const required = parameters.filter((parameter) => parameter.required && parameter.in === 'header');
  const lines = [
    `curl -s${method === 'get' || (method === 'post' && value !== undefined) ? '' : ` -X ${method.toUpperCase()}`} ${url}`,
    ...(security[0] ?? []).flatMap(({ scheme }) => CREDENTIALS[scheme] ?? []),
    ...required.map(({ name }) => `-H "${name}: $${name.replaceAll('-', '_').toUpperCase()}"`),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(value === undefined ? [] : dataOf(type, value)),
  ];
  return lines.join(' \\\n  ');
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const dataOf = (type: string, value: unknown): string[] =>
  type.includes('json')
    ? [`-H "Content-Type: ${type}"`, `-d ${quoted(JSON.stringify(value))}`]
    : Object.entries(Object(value)).map(([name, each]) => `-d ${quoted(`${name}=${each}`)}`);
