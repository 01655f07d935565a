import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { listOperations } from '../../src/contract/document.ts';
import { options, ranked } from '../../src/edge/docs/assets/search.js';
import { startService, type TestService } from '../support/service.ts';

describe('the documents at /docs for tools', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
  });
  after(() => service.stop());

  const get = async (path: string) => {
    const response = await fetch(service.url + path);
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  it('are listed in llms.txt, and every one that is listed is served as Markdown', async () => {
    const { text } = await get('/docs/llms.txt');
    const listed = [...text.matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, path = '']) => path);
    const page = await get('/docs');
    const guides = [...page.text.matchAll(/href="(\/docs[\w/-]*)"/g)].map(([, path = '']) => path);

    for (const path of guides.filter((each) => each !== '/docs/reference'))
      expect(listed, path).to.include(`${path === '/docs' ? '/docs/index' : path}.md`);
    for (const path of listed.filter((each) => each !== '/docs/postman.json')) {
      const guide = await get(path);
      expect(guide.status, path).to.equal(200);
      expect(guide.type).to.match(/^text\/markdown/);
      expect(guide.text)
        .to.match(/^# /)
        .and.not.match(/<!-- generated/);
    }
  });

  it('can be downloaded from the list of pages: the contract and a Postman collection', async () => {
    const { text } = await get('/docs');

    for (const path of ['/openapi.json', '/docs/postman.json']) expect(text).to.include(`<a href="${path}" download>`);
  });

  type Request = {
    method: string;
    body?: { raw: string };
    url: { raw: string; path: string[]; variable: { key: string }[] };
    header: { key: string; value: string }[];
  };
  type Folder = { name: string; item: { name: string; request: Request }[] };

  it('have each operation once in the Postman collection, whose variables are all defined', async () => {
    const collection = JSON.parse((await get('/docs/postman.json')).text);
    const folders = collection.item as Folder[];
    const requests = folders.flatMap(({ item }) => item);
    const known = [...collection.variable.map(({ key }: { key: string }) => key), '$guid'];

    const called = requests.map(({ request }) => `${request.method} /${request.url.path.join('/')}`);
    expect(called).to.have.members(
      listOperations().map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{([\w-]+)\}/g, ':$1')}`),
    );
    for (const { name, request } of requests) {
      const used = [...JSON.stringify(request).matchAll(/\{\{([^}]+)\}\}/g)].map(([, variable]) => variable);
      expect(known, name).to.include.members(used);
      const inPath = request.url.path.filter((part) => part.startsWith(':'));
      expect(
        request.url.variable.map(({ key }) => `:${key}`),
        name,
      ).to.have.members(inPath);
    }
  });

  it('run from the Postman collection: a request of it with its variables filled in is accepted', async () => {
    const { key } = await service.partner();
    const { item } = JSON.parse((await get('/docs/postman.json')).text);
    const { request } = (item as Folder[])
      .flatMap((folder) => folder.item)
      .find(({ name }) => name.endsWith('(createPartnerWebhookEndpoint)')) as {
      request: Request & { body: { raw: string } };
    };
    const filled = (text: string) =>
      text
        .replace('{{base_url}}', service.url)
        .replace('{{partner_key}}', key)
        .replace('{{$guid}}', crypto.randomUUID());

    const response = await fetch(filled(request.url.raw), {
      method: request.method,
      headers: request.header.map((each): [string, string] => [each.key, filled(each.value)]),
      body: request.body?.raw ?? '',
    });

    expect(response.status).to.equal(200);
  });

  const search = async (query: string) => {
    const { text } = await get('/docs/search.json');
    return ranked(MiniSearch.loadJSON(text, options), query);
  };

  it('are found although a word too many was given; entries with all words come first', async () => {
    const cards = await search('test card');
    const all = await search('rotate webhook secret');

    expect(cards.map(({ url }) => String(url))).to.satisfy((urls: string[]) =>
      urls.some((url) => url.startsWith('/docs/sandbox')),
    );
    expect(all[0]?.title).to.match(/rotate-secret/);
    expect(await search('payment.succeeded unheardofword')).not.to.deep.equal([]);
    expect(await search('unheardofword')).to.deep.equal([]);
  });

  it('show every write that takes a key with one, and every operation with its credentials', async () => {
    const { text } = await get('/docs/reference');

    for (const { id, parameters, security } of listOperations()) {
      const section = text.slice(text.indexOf(`<details class="operation" id="${id}"`)).split('</details>')[0] ?? '';
      const command = /<pre[^>]*><code>(curl[\s\S]*?)<\/code>/.exec(section)?.[1] ?? '';
      const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key');
      expect(/Idempotency-Key: \$\(uuidgen\)/.test(command), id).to.equal(hasKey);
      const isCallers = security.flat().some(({ scheme }) => scheme !== 'processorSignature');
      if (isCallers) expect(command, id).to.match(/Authorization|X-Session-Token|-u |-b |client_secret=/);
    }
  });
});
