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
    for (const path of listed) {
      const guide = await get(path);
      expect(guide.status, path).to.equal(200);
      expect(guide.type).to.match(/^text\/markdown/);
      expect(guide.text)
        .to.match(/^# /)
        .and.not.match(/<!-- generated/);
    }
  });

  it('can be downloaded from the list of pages: the contract', async () => {
    expect((await get('/docs')).text).to.include('<a href="/openapi.json" download>');
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
      if (isCallers) expect(command, id).to.match(/Authorization|X-Session-Token|-u |-b /);
    }
  });
});
