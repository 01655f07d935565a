import { expect } from 'chai';
import { listOperations, type Operation } from '../../src/contract/document.ts';
import { errorTable } from '../../src/edge/docs/errors.ts';
import { effects } from '../../src/kernel/error-effects.ts';
import { laws } from '../../src/kernel/error-laws.ts';
import { nodeAt } from '../support/samples.ts';

type Schema = { $ref?: string; required?: string[] };
const resolve = (schema: Schema): Schema => (schema.$ref ? resolve(nodeAt(schema.$ref.slice(1)) as Schema) : schema);

/** What a request of an operation cannot do without. */
const requiredBy = ({ parameters, body }: Operation): string[] => [
  ...parameters.filter(({ required }) => required).map(({ name }) => name),
  ...(body ? (resolve(nodeAt(body.pointer) as Schema).required ?? []) : []),
];

describe('the catalogue of errors', () => {
  const advices = Object.entries(laws).map(([code, { advice }]) => ({ code, advice }));

  it('has nobody leave out what a request needs', () => {
    const wrong = advices.flatMap(({ code, advice }) => {
      const generation = /^V\d_/.test(code) ? `/v${code[1]}/` : '/';
      const operations = listOperations().filter(({ path }) => path.startsWith(generation));
      const left = [...advice.matchAll(/[Ll]eave (?:out )?`([\w-]+)`/g)].map(([, name]) => String(name));
      return operations
        .filter((operation) => requiredBy(operation).some((name) => left.includes(name)))
        .map(({ id }) => `${code}: ${id}`);
    });

    expect(wrong).to.deep.equal([]);
  });

  it('names operations that exist', () => {
    const names = new Set(listOperations().map(({ method, path }) => `${method.toUpperCase()} ${path}`));
    const named = advices.flatMap(({ advice }) => [...advice.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)]);

    expect(named).not.to.be.empty;
    expect(named.map(([, name]) => String(name)).filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('recommends no new key where the effect of the request can be unknown', () => {
    const unknown = Object.keys(effects).filter((code) =>
      /`unknown`/.test(String(effects[code as keyof typeof effects])),
    );
    const rows = errorTable().split('\n');

    expect(unknown).to.include.members(['INTERNAL', 'PROCESSOR_SILENT', 'RATE_LIMITED']);
    for (const code of unknown)
      expect(rows.find((row) => row.startsWith(`<tr id="${code}">`))).not.to.contain('another request has a new key');
  });
});
