import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { AREAS } from '../tools/mutants/areas.ts';

describe('the areas of mutants', () => {
  it('name only existing files and tests', () => {
    const named = Object.values(AREAS).flatMap(({ code, sql }) =>
      [code, ...sql].flatMap(({ files, tests }) => [
        ...files.map((file) => file.split('#')[0] ?? file),
        ...tests.map((name) => `test/${name}.test.ts`),
      ]),
    );

    expect(named.filter((file) => !existsSync(file))).to.deep.equal([]);
    expect(named).to.have.length.above(100);
  });
});
