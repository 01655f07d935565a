import { execFile } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { parse } from 'yaml';
import { document, listOperations, type Operation } from '../src/contract/document.ts';
import { refusals } from '../src/kernel/refusals.ts';
import { examplesOf, nodeAt } from './support/samples.ts';
import { startService, type TestService } from './support/service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const operations = listOperations();

type Json = Record<string, unknown>;
type Spec = { summary?: string; tags?: string[]; operationId: string; responses: Record<string, unknown> };
const specOf = ({ path, method }: { path: string; method: string }) =>
  nodeAt(`/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`) as Spec;

/** Pages for people answer in HTML, whatever happened. */
const isPage = ({ responses }: Operation) =>
  [...responses].some(([status, schema]) => status === 200 && schema === null);

describe('the contract', () => {
  it('is a valid OpenAPI 3.1 document of version 0.1.0', async () => {
    const result = await new Validator().validate(structuredClone(document));

    expect(result.errors ?? []).to.deep.equal([]);
    expect(result.valid).to.equal(true);
    expect(document).to.include({ openapi: '3.1.0' });
    expect(document.info).to.include({ version: '0.1.0' });
  });

  it('has its types checked in as they are generated', async () => {
    const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    const files = ['src/contract/openapi.yaml', '-o', 'src/contract/types.ts', '--check'];

    await promisify(execFile)(process.execPath, [generator, ...files], { cwd: root });
  }).timeout(20_000);

  it('names every operation once, in lower camel case', () => {
    const ids = operations.map(({ id }) => id);

    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z0-9]*)+$/.test(id))).to.deep.equal([]);
    expect(new Set(ids)).to.have.property('size', ids.length);
  });

  it('refers to nothing that is not there, and defines nothing that nobody uses', () => {
    const text = JSON.stringify(document);
    const named = [...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer]) => String(pointer));
    const components = document.components as Record<string, Json>;
    const defined = Object.entries(components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `/components/${kind}/${name}`));

    expect(named.filter((pointer) => nodeAt(pointer) === undefined)).to.deep.equal([]);
    expect(defined.filter((pointer) => !named.includes(pointer))).to.deep.equal([]);
  });

  for (const operation of operations) {
    describe(operation.id, () => {
      const spec = specOf(operation);
      const statuses = [...operation.responses.keys()];

      it('says what it is for, under a tag that is declared', () => {
        const declared = (document.tags as { name: string }[]).map(({ name }) => name);

        expect(spec.summary).to.match(/^[A-Z].{5,}/);
        expect(spec.tags).to.have.length(1);
        expect(declared).to.include.members(spec.tags ?? []);
      });

      it('promises a good answer, and problem documents for the bad ones', () => {
        const bad = statuses.filter((status) => status >= 400);

        expect(statuses.some((status) => status >= 200 && status < 300)).to.equal(true);
        expect(bad).to.include(500);
        expect(bad).to.include(422); // a query that nobody asked for, if nothing else
        if (operation.body) expect(bad).to.include(413);
        if (operation.body?.contentType === 'application/json') expect(bad).to.include(415); // the token endpoints say 422
        if (operation.security.length > 0) expect(bad).to.include.members([401, 503]);
        for (const status of bad) {
          const schema = operation.responses.get(status);
          if (schema) expect((nodeAt(schema) as { $ref: string }).$ref).to.match(/Problem$/);
          else expect(isPage(operation), `${status} says nothing`).to.equal(true);
        }
      });

      it('gives examples that are valid where it asks for a body', () => {
        if (!operation.body) return;
        const { pointer, required } = operation.body;
        const examples = examplesOf(pointer.replace(/\/schema$/, ''));
        const check = compile(pointer);

        if (required) expect(examples).not.to.deep.equal([]);
        for (const example of examples) expect(check(example), JSON.stringify(check.errors)).to.equal(true);
      });
    });
  }

  it('gives answers whose examples are valid', () => {
    for (const { responses } of operations) {
      for (const pointer of responses.values()) {
        if (pointer === null) continue;
        const check = compile(pointer);
        for (const example of examplesOf(pointer.replace(/\/schema$/, ''))) {
          expect(check(example), `${pointer} ${JSON.stringify(check.errors)}`).to.equal(true);
        }
      }
    }
  });
});

describe('the catalogue of refusals', () => {
  it('holds nothing that nobody says', async () => {
    const files = await Array.fromAsync(glob('{src,workers,sql}/**/*.{ts,sql}', { cwd: root }));
    const others = files.filter((file) => file !== 'src/kernel/refusals.ts' && !file.startsWith('src/contract/'));
    const text = (await Promise.all(others.map((file) => readFile(join(root, file), 'utf8')))).join('\n');

    const unsaid = Object.keys(refusals).filter((code) => !new RegExp(`['"]${code}['"]`).test(text));

    expect(unsaid).to.deep.equal([]);
  });

  it('uses statuses that operations of the contract name', () => {
    const named = new Set(operations.flatMap(({ responses }) => [...responses.keys()]));
    const ofTheEdge = [400, 404, 405, 408, 431];

    const unnamed = Object.entries(refusals).filter(
      ([, [status]]) => !named.has(status) && !ofTheEdge.includes(status),
    );

    expect(unnamed).to.deep.equal([]);
  });
});

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

  it('is the file, at /openapi.json', async () => {
    const { status, type, text } = await get('/openapi.json');

    expect(status).to.equal(200);
    expect(type).to.match(/^application\/json/);
    const file = await readFile(join(root, 'src/contract/openapi.yaml'), 'utf8');
    expect(JSON.parse(text)).to.deep.equal(parse(file, { merge: true }));
  });

  it('is a page at /docs that asks for nothing from outside', async () => {
    const { status, type, text, response } = await get('/docs');
    const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => String(address));
    const served = await Promise.all(assets.map(get));

    expect(status).to.equal(200);
    expect(type).to.match(/^text\/html/);
    expect(assets).to.have.length.above(2);
    expect(assets.filter((address) => !address.startsWith('/docs/'))).to.deep.equal([]);
    expect(served.map((asset) => asset.status)).to.deep.equal(assets.map(() => 200));
    expect(text).not.to.match(/https?:|\/\/[a-z]/i);
    expect(response.headers.get('content-security-policy')).to.match(/default-src 'self'/);
  });

  it('starts on the served contract and asks no validator elsewhere', async () => {
    const { text } = await get('/docs/start.js');

    expect(text).to.include("url: '/openapi.json'");
    expect(text).to.include('validatorUrl: null');
    expect(text).not.to.match(/https?:/);
  });
});

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(document, 'contract');
const compile = (pointer: string) =>
  ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
