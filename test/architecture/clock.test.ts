import { glob, readFile } from 'node:fs/promises';
import { expect } from 'chai';

/** What runs without the service's database, or is no part of the service. */
const PROCESS_CLOCK =
  /^src\/(sandbox|commands|console|client|db\/embedded)|^src\/(kernel\/work|capabilities\/health\/clock)\.ts$/;

describe('the time', () => {
  it('is epochMs, which goes by the database where the clock is off', async () => {
    const found: string[] = [];
    for await (const file of glob('{src,workers}/**/*.ts'))
      if (!PROCESS_CLOCK.test(file) && /Date\.now\(|new Date\(\)/.test(await readFile(file, 'utf8'))) found.push(file);

    expect(found).to.deep.equal([]);
  });
});
