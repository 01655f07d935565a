import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { languages } from '../../src/edge/docs/assets/samples.js';
import { servedContract } from '../../src/edge/docs/served-contract.ts';
import { startService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
type Sample = { lang: string; label: string; source: string };

const paths = servedContract().paths as Record<string, Record<string, { 'x-codeSamples': Sample[] }>>;
const samples = listOperations().map(({ id, path: at, method }) => ({
  id,
  samples: paths[at]?.[method]?.['x-codeSamples'] ?? [],
}));
const sourceOf = (id: string, lang: string) =>
  samples.find((each) => each.id === id)?.samples.find((each) => each.lang === lang)?.source ?? '';

/** Each language: what its files end in, what checks that they can be read, and what runs one. */
const TOOLS: Record<string, { ending: string; check: [string, ...string[]]; run: [string, ...string[]] }> = {
  Shell: { ending: 'sh', check: ['bash', '-n'], run: ['bash'] },
  TypeScript: { ending: 'ts', check: [`${ROOT}node_modules/.bin/tsc`, '-p'], run: [process.execPath] },
  Python: { ending: 'py', check: ['python3', '-m', 'py_compile'], run: ['python3'] },
  Go: { ending: 'go', check: ['gofmt', '-l'], run: ['go', 'run'] },
};
const isThere = (command: string) => spawnSync(command, ['--version']).error === undefined;

describe('the samples of code in the contract', function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-samples-`));
    await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
    const compilerOptions = {
      typeRoots: [`${ROOT}node_modules/@types`],
      paths: { 'trading-partner-service/client': [`${ROOT}src/client/index.ts`] },
    };
    const config = { extends: `${ROOT}tsconfig.json`, compilerOptions, include: ['*.ts'] };
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  });
  after(() => rm(folder, { recursive: true }));

  const written = (id: string, lang: string, source = sourceOf(id, lang)) => {
    const file = path.join(folder, `${id}.${TOOLS[lang]?.ending}`);
    return writeFile(file, `${source}\n`).then(() => file);
  };

  it('are there for every operation, in four languages', () => {
    for (const { id, samples: own } of samples)
      expect(
        own.map(({ lang }) => lang),
        id,
      ).to.deep.equal(Object.keys(TOOLS));
  });

  for (const [lang, { check, run }] of Object.entries(TOOLS)) {
    it(`can be read by the tools of ${lang}, types and format included where it has them`, async function () {
      if (!isThere(check[0])) this.skip();
      const files = await Promise.all(samples.map(({ id }) => written(id, lang)));
      const all = () => written('all', lang, samples.map(({ id }) => sourceOf(id, lang)).join('\n'));
      const [command, ...args] = check;
      const given = { TypeScript: [folder], Shell: lang === 'Shell' ? [await all()] : [] }[lang] ?? files;

      type Found = { code?: number; stdout: string; stderr: string };
      const { code = 0, stdout, stderr }: Found = await execute(command, [...args, ...given]).catch((error) => error);

      expect([code, stdout, stderr]).to.deep.equal([0, '', '']);
      expect(files).to.have.length.above(200);
    });

    it(`do what they show, in ${lang}: a write and a read`, async function () {
      if (!isThere(run[0]) || (lang === 'Shell' && !isThere('curl'))) this.skip();
      const service = await startService();
      try {
        const { key } = await service.partner();
        const env = { ...process.env, URL: service.url, KEY: key, GOCACHE: path.join(folder, 'go') };
        const output: string[] = [];
        for (const id of ['registerNetvenueTrader', 'listPartnerEvents']) {
          const source = sourceOf(id, lang).replace('trading-partner-service/client', `${ROOT}src/client/index.ts`);
          const [command, ...args] = run;
          output.push((await execute(command, [...args, await written(id, lang, source)], { env })).stdout);
        }

        expect(output[0]).to.include('subaccount_id');
        expect(output[1]).to.include('subaccount.updated');
      } finally {
        await service.stop();
      }
    });
  }
});

describe('the sample of a call whose members were typed', () => {
  const typed = {
    ...{
      method: 'get',
      path: '/v2/orders/{id}',
      schemes: ['userSession', 'appToken'],
      takesKey: false,
      streams: false,
    },
    members: { id: '007' },
    query: { limit: '10', offset: '0', cursor: '' },
    headers: { 'X-Session-Token': 'typed-session', 'X-Prop-Account': 'prop_1' },
  };

  it('has the other headers, and no session that was typed, in no language', () => {
    const sources = languages.map(({ write }) => write(typed));

    expect(sources).to.have.length(4);
    for (const source of sources)
      expect(source).to.include('SESSION').and.include('prop_1').and.not.include('typed-session');
  });

  it('writes numbers and what only looks like one as TypeScript', () => {
    const source = languages.find(({ lang }) => lang === 'TypeScript')?.write(typed);

    expect(source?.split('\n').slice(2)).to.deep.equal([
      "const { URL = '', CLIENT_ID = '', CLIENT_SECRET = '', SESSION = '', CURSOR = '' } = process.env;",
      "const client = connect({ baseUrl: URL, credentials: { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }, headers: { 'X-Session-Token': SESSION } });",
      "console.log(await client.settled(client.api.GET('/v2/orders/{id}', {",
      '  params: { path: { id: "007" }, header: { \'X-Prop-Account\': "prop_1" }, query: { limit: 10, offset: 0, cursor: CURSOR } },',
      '})));',
    ]);
  });
});
