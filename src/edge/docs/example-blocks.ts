import type { Operation } from '../../contract/document.ts';
import { escaped } from '../../kernel/html.ts';
import { languages } from './assets/samples.js';
import { type Media, sampledCalls, valuesOf } from './samples.ts';
import type { Json } from './schemas.ts';

/** The examples of an operation: a request as a curl command, and the responses. */
export function exampleBlocks(operation: Operation, spec: Json): string {
  const replies = Object.entries(spec.responses as Record<string, { content?: Record<string, Media> }>).flatMap(
    ([status, { content = {} }]) =>
      Object.values(content).flatMap((media) => valuesOf(media).map((value) => ({ status, value }))),
  );
  return [
    '<h4>Examples</h4>',
    ...sampledCalls(operation, spec).map(
      (call) => `<div class="sample">${block(languages[0]?.write(call) ?? '')}</div>`,
    ),
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

/** For an operator the browser sends the cookie itself. */
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

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

const block = (text: string) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>`;
