import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { permitted, violationsOfRules } from './architecture/examples.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const lineLimit = 250;
const lineMedian = 50;

/** Files of the project; packages of `test/tools` may be installed. */
const OWN = { cwd: root, exclude: ['**/node_modules/**'] };
/** Code beside the TypeScript of `sources()`: the console's, and SQL without the snapshot. */
const OTHER_CODE = '{src/**/*.js,sql/**/*.sql}';

describe('architecture', () => {
  it('has only permitted imports', async () => {
    expect(await violations(root)).to.deep.equal([]);
  });

  it(`has no file over ${lineLimit} lines`, async () => {
    const sizesOf = (paths: string[]) =>
      Promise.all(paths.map(async (path) => ({ path, lines: await countLines(path) })));
    const sizes = await sizesOf(await sources());
    const all = [...sizes, ...(await sizesOf(await Array.fromAsync(glob('test/**/*.ts', OWN))))];

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
