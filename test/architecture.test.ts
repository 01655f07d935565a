import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const root = fileURLToPath(new URL('..', import.meta.url));
const lineLimit = 250;
const lineMedian = 50;

/** Code beside the TypeScript of `sources()`: the console's, and SQL without the snapshot. */
const OTHER_CODE = '{src/**/*.js,sql/**/*.sql}';

/** For each rule a tree that violates only this rule; paths to contents. */
const violationsOfRules: Record<string, Record<string, string>> = {
  'no-cycles': {
    'src/capabilities/payments/refund.ts': `import './store.ts';`,
    'src/capabilities/payments/store.ts': `import './refund.ts';`,
  },
  resolvable: { 'src/capabilities/payments/http.ts': `import './nowhere.ts';` },
  'no-development-packages': { 'src/capabilities/payments/http.ts': `import 'nock';` },
  'tests-stay-outside': { 'src/web.ts': `import '../test/given.ts';`, 'test/given.ts': '' },
  'koa-only-in-edge': { 'src/capabilities/payments/http.ts': `import 'koa';` },
  'ajv-only-in-validate': { 'src/edge/body.ts': `import 'ajv/dist/2020.js';` },
  'slonik-only-beside-sql': { 'src/capabilities/payments/http.ts': `import { sql } from 'slonik';` },
  'pg-only-in-db': { 'src/intents/follow.ts': `import 'pg';` },
  'queue-only-in-workers': { 'src/capabilities/payments/intents.ts': `import 'graphile-worker';` },
  'prom-client-only-in-metrics': { 'src/worker.ts': `import 'prom-client';` },
  'got-only-in-adapters': { 'workers/payments/refund.ts': `import 'got';` },
  'imports-run-down': {
    'src/venues/network/orders/place.ts': `import '../../../runtime/web.ts';`,
    'src/runtime/web.ts': '',
  },
  'foundation-knows-no-business': {
    'src/edge/server.ts': `import '../capabilities/payments/http.ts';`,
    'src/capabilities/payments/http.ts': '',
  },
  'contract-is-below-edge': { 'src/contract/body.ts': `import '../edge/body.ts';`, 'src/edge/body.ts': '' },
  'intents-is-below-contract': {
    'src/intents/follow.ts': `import '../contract/body.ts';`,
    'src/contract/body.ts': '',
  },
  'db-is-below-intents': { 'src/db/pool.ts': `import '../intents/run.ts';`, 'src/intents/run.ts': '' },
  'operations-see-only-http': {
    'src/operations.ts': `import './capabilities/payments/intents.ts';`,
    'src/capabilities/payments/intents.ts': '',
  },
  'capabilities-meet-at-their-doors': {
    'src/capabilities/accounts/http.ts': `import '../payments/store.ts';`,
    'src/capabilities/payments/store.ts': '',
  },
  'queries-only-read': {
    'src/capabilities/payments/queries.ts': `import './store.ts';`,
    'src/capabilities/payments/store.ts': '',
  },
  'read-models-ask-venues': {
    'src/capabilities/accounts/read-model.ts': `import '../payments/commands.ts';`,
    'src/capabilities/payments/commands.ts': '',
  },
  'adapters-come-from-runtime': {
    'src/venues/network/orders/intents.ts': `import { place } from '../adapter/types.ts';`,
    'src/venues/network/adapter/types.ts': '',
  },
  'adapters-show-only-types': {
    'src/venues/network/orders/intents.ts': `import type { Miner } from '../adapter/orders.ts';`,
    'src/venues/network/adapter/orders.ts': '',
  },
  'rules-are-pure': {
    'src/capabilities/payments/rules.ts': `import './queries.ts';`,
    'src/capabilities/payments/queries.ts': '',
  },
  'adapters-know-little': { 'src/adapters/mail/index.ts': `import '../../db/pool.ts';`, 'src/db/pool.ts': '' },
  'adapters-do-not-meet': {
    'src/adapters/mail/index.ts': `import '../webhook/post.ts';`,
    'src/adapters/webhook/post.ts': '',
  },
  'nobody-imports-workers': { 'src/worker.ts': `import '../workers/sync.ts';`, 'workers/sync.ts': '' },
  'nobody-imports-commands': { 'src/worker.ts': `import './commands/reseal.ts';`, 'src/commands/reseal.ts': '' },
  'kernel-stands-alone': { 'src/kernel/ids.ts': `import type { Config } from '../config.ts';`, 'src/config.ts': '' },
  'kernel-does-no-io': { 'src/kernel/ids.ts': `import 'node:fs/promises';` },
  'client-stands-alone': { 'src/client/retry.ts': `import '../kernel/ids.ts';`, 'src/kernel/ids.ts': '' },
  'sandbox-only-from-start': { 'src/web.ts': `import './sandbox/upstream.ts';`, 'src/sandbox/upstream.ts': '' },
};

/** A tree that the rules must accept. */
const permitted: Record<string, string> = {
  'src/operations.ts': `import './capabilities/payments/http.ts'; import './venues/network/orders/http.ts';`,
  'src/edge/server.ts': `import 'koa'; import type { Handler } from '../contract/handler.ts';`,
  'src/contract/handler.ts': `import type { Intent } from '../intents/intent.ts';`,
  'src/intents/intent.ts': `import '../db/pool.ts';`,
  'src/db/pool.ts': `import 'pg'; import '../kernel/ids.ts';`,
  'src/capabilities/payments/http.ts': `import './intents.ts'; import '../accounts/queries.ts';`,
  'src/capabilities/payments/intents.ts': `import { sql } from 'slonik'; import type { M } from '../../adapters/mail/types.ts';`,
  'src/capabilities/payments/rules.ts': `import '../../kernel/ids.ts';`,
  'src/capabilities/accounts/queries.ts': '',
  'src/capabilities/users/check.ts': `import '../login/check.ts'; import '../streams/hub.ts';`,
  'src/capabilities/streams/hub.ts': '',
  'src/capabilities/login/check.ts': '',
  'src/venues/network/orders/http.ts': `import './intents.ts';`,
  'src/venues/network/orders/intents.ts': `import type { Signal } from '../adapter/types.ts';`,
  'src/venues/network/adapter/types.ts': `import type { Id } from '../../../kernel/ids.ts'; import '../../../adapters/http.ts';`,
  'src/kernel/ids.ts': `import 'node:crypto';`,
  'src/adapters/mail/types.ts': `import '../http.ts';`,
  'src/adapters/http.ts': `import 'got';`,
  'src/commands/reseal.ts': `import { sql } from 'slonik'; import '../capabilities/payments/intents.ts';`,
  'src/client/client.ts': `import 'openapi-fetch'; import '../contract/types.ts';`,
  'src/contract/types.ts': '',
  'src/runtime/start.ts': `import '../sandbox/upstream.ts';`,
  'src/sandbox/upstream.ts': '',
  'workers/payments/refund.ts': `import 'graphile-worker'; import '../../src/capabilities/payments/intents.ts';`,
  'test/refund.test.ts': `import '../workers/payments/refund.ts'; import 'nock'; import 'pg';`,
};

describe('architecture', () => {
  it('has only permitted imports', async () => {
    expect(await violations(root)).to.deep.equal([]);
  });

  it(`has no file over ${lineLimit} lines`, async () => {
    const sizesOf = (paths: string[]) =>
      Promise.all(paths.map(async (path) => ({ path, lines: await countLines(path) })));
    const sizes = await sizesOf(await sources());
    const all = [...sizes, ...(await sizesOf(await Array.fromAsync(glob('test/**/*.ts', { cwd: root }))))];

    const long = all.filter(({ lines }) => lines > lineLimit).map(({ path, lines }) => `${path}: ${lines} lines`);

    expect(long).to.deep.equal([]);
  });

  it(`has a median of at most ${lineMedian} lines over the files of code`, async () => {
    const code = [...(await sources()), ...(await Array.fromAsync(glob(OTHER_CODE, { cwd: root })))];
    const sizes = await Promise.all(code.filter((path) => path !== 'sql/schema.sql').map(countLines));

    console.log(`    ${sizes.length} files, median ${median(sizes)} lines`);
    expect(median(sizes)).to.be.at.most(lineMedian);
  });

  it('reads the environment in src/config.ts only, but for a client of the service with its own credentials', async () => {
    const readers = await sourcesWith(/\bprocess\s*\.\s*env\b|\bprocess\s*\[|\benv\b[^;\n]*from 'node:process'/);

    expect(readers).to.have.members([
      'src/config.ts',
      'src/commands/webhook-listen.ts',
      'src/docs/examples/challenge-shop.ts',
    ]);
  });

  it('has one task in every file under workers', async () => {
    const tasks = await sourcesWith(/^export default /m);
    const files = (await sources()).filter((path) => path.startsWith('workers/'));

    expect(files.filter((path) => !tasks.includes(path))).to.deep.equal([]);
  });
});

describe('architecture rules', () => {
  it('have an example for every rule', () => {
    expect(Object.keys(violationsOfRules)).to.have.members(ruleNames);
  });

  for (const [name, tree] of Object.entries(violationsOfRules)) {
    it(`reject ${Object.keys(tree)[0]}, which violates ${name}`, async () => {
      const broken = (await violationsOf(tree)).map((line) => line.split(': ')[0]);

      expect([...new Set(broken)]).to.deep.equal([name]);
    });
  }

  it('accept the imports that the layout is for', async () => {
    expect(await violationsOf(permitted)).to.deep.equal([]);
  });
});

const { ruleSet, ...options }: ICruiseOptions = await extractDepcruiseOptions(join(root, '.dependency-cruiser.cjs'));
const ruleNames = (ruleSet?.forbidden ?? []).map(({ name }) => name);

/** One line for each forbidden import, `rule: from → to`; a cycle is written out. */
async function violations(baseDir: string): Promise<string[]> {
  const folders = ['src', 'workers', 'test'];
  const { output } = await cruise(folders, { ...options, ruleSet: ruleSet ?? {}, validate: true, baseDir });
  const { violations } = (output as ICruiseResult).summary; // text only when an output type is asked for
  return violations.map(({ rule, from, to, cycle }) => {
    const through = cycle?.map(({ name }) => name) ?? [to];
    return `${rule.name}: ${[from, ...through].join(' → ')}`;
  });
}

async function violationsOf(tree: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tps-architecture-'));
  try {
    await plant(folder, { ...packages(), 'src/.keep.ts': '', 'workers/.keep.ts': '', 'test/.keep.ts': '', ...tree });
    return await violations(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Empty packages with the names used in the rules. */
function packages(): Record<string, string> {
  const dependencies = {
    koa: '1',
    ajv: '1',
    slonik: '1',
    pg: '1',
    'graphile-worker': '1',
    'prom-client': '1',
    got: '1',
    'openapi-fetch': '1',
  };
  const devDependencies = { nock: '1' };
  const files = Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })],
    [`node_modules/${name}/index.js`, ''],
  ]);
  return {
    'package.json': JSON.stringify({ type: 'module', dependencies, devDependencies }),
    'node_modules/ajv/dist/2020.js': '',
    ...Object.fromEntries(files),
  };
}

async function plant(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Handwritten files: the generated types are left out. */
async function sources(): Promise<string[]> {
  const found = await Array.fromAsync(glob('{src,workers}/**/*.ts', { cwd: root }));
  return found.filter((path) => path !== 'src/contract/types.ts').sort();
}

async function sourcesWith(pattern: RegExp): Promise<string[]> {
  const paths = await sources();
  const contents = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
  return paths.filter((_, index) => pattern.test(contents[index] ?? ''));
}

async function countLines(path: string): Promise<number> {
  return (await readFile(join(root, path), 'utf8')).trimEnd().split('\n').length;
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
