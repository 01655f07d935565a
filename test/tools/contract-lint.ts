import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { document } from '../../src/contract/document.ts';
import { commandOf } from './install.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/* A step of `npm run check`: what two linters know of OpenAPI. */
describe('the linters of OpenAPI', () => {
  it('Redocly finds nothing in the completed document', async () => {
    expect(await lintByRedocly(document)).to.deep.equal([]);
  });

  it('Spectral finds nothing in the completed document', async () => {
    expect(await lintBySpectral(document)).to.deep.equal([]);
  });

  it('each find a defect', async () => {
    const broken = { openapi: '3.1.0', info: { title: 'Broken', version: '1' }, tags: [{ name: 'bare' }], paths: {} };

    expect((await lintByRedocly(broken)).join()).to.match(/tag-description/);
    expect((await lintBySpectral(broken)).join()).to.match(/info-description/);
  });
}).timeout(60_000);

/**
 * Its recommended rules and the exceptions of src/contract/redocly.yaml. Returns every problem, one line each; makes no
 * network call.
 */
async function lintByRedocly(contract: object): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tps-redocly-'));
  const file = join(folder, 'openapi.json');
  const args = [
    'lint',
    file,
    '--config',
    join(root, 'src/contract/redocly.yaml'),
    '--format',
    'json',
    '--max-problems',
    '1000',
  ];
  const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  try {
    await writeFile(file, JSON.stringify(contract));
    const run = promisify(execFile)(commandOf('redocly'), args, { env: { PATH: process.env.PATH, ...offline } });
    const { stdout } = await run.catch((failed: { stdout: string }) => failed); // exits with 1 when there are errors
    const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string; location: object[] }[] };
    return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${JSON.stringify(location[0])}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Its recommended rules and the exceptions of .spectral.yaml, by its library, because the command brings 86 more
 * packages.
 */
async function lintBySpectral(contract: object): Promise<string[]> {
  const { rules } = load(await readFile(join(root, '.spectral.yaml'), 'utf8')) as { rules: Record<string, 'off'> };
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas], rules }));
  const problems = await linter.run(structuredClone(contract) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`);
}
