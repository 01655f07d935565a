import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { document, listOperations, nodeAt } from '../../src/contract/document.ts';
import { errors } from '../../src/kernel/error-codes.ts';
import { startService, type TestService } from '../support/service.ts';

/** What an `anyOf [schema, null]`, conditions in `then`, and the type beside an enum or a constant say, as the YAML says it. */
const asWritten = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(asWritten);
  if (node === null || typeof node !== 'object') return node;
  const { anyOf, ...rest } = node as { anyOf?: { type?: string }[] };
  const isWide = anyOf?.length === 2 && anyOf[1]?.type === 'null';
  const plain: object = isWide ? { ...rest, ...anyOf[0] } : node;
  const members = Object.entries(plain).flatMap(([name, member]): [string, unknown][] => {
    if (name === 'type' && ('enum' in plain || 'const' in plain)) return [];
    if (name === 'enum' && Array.isArray(member)) return [[name, member.filter((value) => value !== null)]];
    if (name === 'if' && Object.keys(member).join() === 'type') return [];
    return name === 'then' && 'allOf' in member ? [['allOf', asWritten(member.allOf)]] : [[name, asWritten(member)]];
  });
  return Object.fromEntries(members);
};

type Content = { content?: Record<string, { example?: unknown }> };

/** The document without samples of code and the examples of bodies, and with every response written out: one with an example is. */
function withoutExamples(whole: unknown): unknown {
  const { paths, ...rest } = whole as {
    paths: Record<string, Record<string, { requestBody?: Content; responses: object; 'x-codeSamples'?: object }>>;
  };
  const components = (rest as unknown as { components: { responses: Record<string, object> } }).components;
  const plain = ({ content, ...body }: Content) => ({
    ...body,
    ...(content && { content: Object.entries(content).map(([type, { example: _, ...media }]) => [type, media]) }),
  });
  const written = (response: { $ref?: string }) =>
    components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return {
    ...rest,
    paths: Object.keys(paths),
    operations: operations.map(({ requestBody = {}, responses, 'x-codeSamples': _, ...operation }) => ({
      ...operation,
      requestBody: plain(requestBody),
      responses: Object.entries(responses).map(([status, response]) => [status, plain(written(response))]),
    })),
  };
}

describe('the served reference', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
  });
  after(() => service.stop());

  const get = async (path: string) => {
    const response = await fetch(service.url + path);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
      response,
    };
  };

  it('is the completed document, at /openapi.json, whose optional members of requests take null', async () => {
    const { status, type, text } = await get('/openapi.json');

    expect(status).to.equal(200);
    expect(type).to.match(/^application\/json/);
    expect(withoutExamples(asWritten(JSON.parse(text)))).to.deep.equal(withoutExamples(asWritten(document)));
    const { NetvenueOrderRequest: order } = JSON.parse(text).components.schemas;
    expect(order.properties.take_profit.anyOf[1]).to.deep.equal({ type: 'null' });
    expect(order.properties.trade_pair).not.to.have.property('anyOf');
    expect((await new Validator().validate(JSON.parse(text))).errors ?? []).to.deep.equal([]);
  });

  it('is a page beside the guides that loads nothing from outside', async () => {
    const { status, type, text, response } = await get('/docs/reference');
    const linked = [...text.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, address]) => String(address));
    const assets = [...new Set(linked)];
    const served = await Promise.all(assets.map(get));

    expect(status).to.equal(200);
    expect(type).to.match(/^text\/html/);
    expect(assets).to.have.length.above(2);
    expect(assets.filter((address) => !/^\/(docs|openapi\.json$)/.test(address))).to.deep.equal([]);
    expect(served.map((asset) => asset.status)).to.deep.equal(assets.map(() => 200));
    expect(text).not.to.match(/<(?:script|link|img)[^>]*https?:/);
    expect(response.headers.get('content-security-policy'))
      .to.match(/default-src 'self'/)
      .and.not.include('unsafe');
  });

  it('is found from /docs/ as well', async () => {
    const response = await fetch(`${service.url}/docs/`, { redirect: 'manual' });

    expect([response.status, response.headers.get('location')]).to.deep.equal([302, '/docs']);
  });

  it('is linked from /, for browsers and for tools, as is everything else that / names', async () => {
    const asked = (accept: string) => fetch(service.url, { headers: { Accept: accept } });
    const browser = await asked('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    const tool = await asked('*/*');
    const { links } = (await tool.json()) as { links: Record<string, string> };
    const page = await browser.text();
    const linked = await Promise.all(Object.values(links).map(get));

    expect(browser.headers.get('content-type')).to.match(/^text\/html/);
    expect(tool.headers.get('content-type')).to.match(/^application\/json/);
    expect(Object.values(links)).to.include.members(['/docs', '/openapi.json']);
    expect(linked.map(({ status }) => status)).to.deep.equal(linked.map(() => 200));
    for (const path of Object.values(links)) expect(page).to.include(`href="${path}"`);
  });

  it('documents every code of the contract where the type of its errors points', async () => {
    const { code } = nodeAt('/components/schemas/ErrorDetails/properties') as { code: { enum: string[] } };
    const known = code.enum;
    const problem = (await fetch(`${service.url}/v2/oauth/me`).then((reply) => reply.json())) as { type: string };
    const page = await get(new URL(problem.type).pathname);

    expect(known).to.have.members(Object.keys(errors));
    expect(page.status).to.equal(200);
    expect(page.type).to.match(/^text\/html/);
    expect([...page.text.matchAll(/<tr id="([A-Z0-9_]+)">/g)].map(([, code]) => code)).to.have.members(known);
    expect(known).to.include(new URL(problem.type).hash.slice(1));
  });

  it('shows every operation and every schema, each with an anchor', async () => {
    const { text } = await get('/docs/reference');
    const anchors = new Set([...text.matchAll(/<details class="\w+" id="([^"]+)"/g)].map(([, id]) => id));

    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    for (const { id } of listOperations()) expect(anchors, id).to.include(id);
    for (const id of links) if (id !== 'content') expect(anchors).to.include(id);
  });
});
