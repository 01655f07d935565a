import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { document, listOperations, type Operation } from '../src/contract/document.ts';
import { requestValidator, responseCheck } from '../src/edge/validate.ts';
import { errors } from '../src/kernel/error-codes.ts';
import { examplesOf, nodeAt } from './support/samples.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const operations = listOperations();

type Json = Record<string, unknown>;
type Spec = { summary?: string; tags?: string[]; operationId: string; responses: Record<string, unknown> };
const specOf = ({ path, method }: { path: string; method: string }) =>
  nodeAt(`/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`) as Spec;

/** HTML pages respond with HTML, whatever happened. */
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

  it('has a schema for every check of the edge, which compiles them at first use', () => {
    for (const operation of operations) {
      requestValidator(operation);
      responseCheck(operation);
    }
  });

  it('gives every operation a unique name, in lower camel case', () => {
    const ids = operations.map(({ id }) => id);

    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z0-9]*)+$/.test(id))).to.deep.equal([]);
    expect(new Set(ids)).to.have.property('size', ids.length);
  });

  it('refers only to existing parts, and defines nothing unused', () => {
    const text = JSON.stringify(document);
    const named = [...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer]) => String(pointer));
    const components = document.components as Record<string, Json>;
    const defined = Object.entries(components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `/components/${kind}/${name}`));

    expect(named.filter((pointer) => nodeAt(pointer) === undefined)).to.deep.equal([]);
    expect(defined.filter((pointer) => !named.includes(pointer))).to.deep.equal([]);
  });

  it('requires scopes that its access tokens can carry', () => {
    const { flows } = (document.components as { securitySchemes: Record<string, Json> }).securitySchemes.appToken as {
      flows: { clientCredentials: { scopes: Json } };
    };
    const requirements = operations.flatMap(({ security }) =>
      security.flat().filter(({ scheme }) => scheme === 'appToken'),
    );
    const scopes = new Set(requirements.flatMap(({ roles }) => roles));

    expect(Object.keys(flows.clientCredentials.scopes)).to.include.members([...scopes]);
  });

  for (const operation of operations) {
    describe(operation.id, () => {
      const spec = specOf(operation);
      const statuses = [...operation.responses.keys()];

      it('describes the purpose of each operation, under a declared tag', () => {
        const declared = (document.tags as { name: string }[]).map(({ name }) => name);

        expect(spec.summary).to.match(/^[A-Z].{5,}/);
        expect(spec.tags).to.have.length(1);
        expect(declared).to.include.members(spec.tags ?? []);
      });

      it('lists a success response, and problem documents for errors', () => {
        const bad = statuses.filter((status) => status >= 400);

        expect(statuses.some((status) => status >= 200 && status < 300)).to.equal(true);
        for (const status of bad) {
          const schema = operation.responses.get(status);
          if (schema) expect((nodeAt(schema) as { $ref: string }).$ref).to.match(/Problem$/);
          else expect(isPage(operation), `${status} has no description`).to.equal(true);
        }
      });

      it('gives valid examples where it requires a body', () => {
        if (!operation.body) return;
        const { pointer, required } = operation.body;
        const examples = examplesOf(pointer.replace(/\/schema$/, ''));
        const check = compile(pointer);

        if (required) expect(examples).not.to.deep.equal([]);
        for (const example of examples) expect(check(example), JSON.stringify(check.errors)).to.equal(true);
      });
    });
  }

  it('gives responses whose examples are valid', () => {
    const pointers = new Set(operations.flatMap(({ responses }) => [...responses.values()]));
    for (const pointer of pointers) {
      if (pointer === null) continue;
      const check = compile(pointer);
      for (const example of examplesOf(pointer.replace(/\/schema$/, ''))) {
        expect(check(example), `${pointer} ${JSON.stringify(check.errors)}`).to.equal(true);
      }
    }
  });
});

describe('the error catalogue', () => {
  it('holds no unused error', async () => {
    const files = await Array.fromAsync(glob('{src,workers,sql}/**/*.{ts,sql}', { cwd: root }));
    const others = files.filter((file) => file !== 'src/kernel/errors.ts' && !file.startsWith('src/contract/'));
    const text = (await Promise.all(others.map((file) => readFile(join(root, file), 'utf8')))).join('\n');

    const unused = Object.keys(errors).filter((code) => !new RegExp(`['"]${code}['"]`).test(text));

    expect(unused).to.deep.equal([]);
  });

  it('uses statuses that operations of the contract name', () => {
    const named = new Set(operations.flatMap(({ responses }) => [...responses.keys()]));
    const ofTheEdge = [400, 404, 405, 408, 431];

    const unnamed = Object.entries(errors).filter(([, [status]]) => !named.has(status) && !ofTheEdge.includes(status));

    expect(unnamed).to.deep.equal([]);
  });
});

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(document, 'contract');
const compile = (pointer: string) =>
  ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
