import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { errorTable } from '../../src/edge/docs/errors.ts';
import { effects, laws } from '../../src/kernel/error-laws.ts';

describe('the catalogue of errors', () => {
  const advices = Object.entries(laws).map(([code, { advice }]) => ({ code, advice }));

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
