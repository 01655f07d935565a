import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { COMMANDS } from '../../src/commands/table.ts';
import { listOperations } from '../../src/contract/document.ts';
import { budgetTable } from '../../src/edge/docs/budgets.ts';
import { throttleTable } from '../../src/edge/docs/throttles.ts';
import { errors } from '../../src/kernel/error-codes.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { settings } from '../../src/settings.ts';
import { scenes } from '../chaos/promises.ts';
import { nodeAt } from '../support/samples.ts';
import { readScrape } from '../support/scrape.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const README_LINES = 160;
const DECISION_LINES = 15;
const ROW_LETTERS = 700;
const PROMISES = { R: 22, S: 18, P: 9 }; // of reliability, security and speed, numbered from 1

const read = (path: string) => readFile(`${ROOT}${path}`, 'utf8');
const countLines = (text: string) => text.trimEnd().split('\n').length;

describe('the guides', () => {
  let guides: Map<string, string>;
  before(async () => {
    const paths = ['README.md', ...(await Array.fromAsync(glob('src/docs/**/*.md', { cwd: ROOT })))];
    guides = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
  });

  it(`begin with a README of at most ${README_LINES} lines`, () => {
    expect(countLines(guides.get('README.md') ?? '')).to.be.at.most(README_LINES);
  });

  it(`have no row of a table that is longer than ${ROW_LETTERS} letters`, () => {
    const long = [...guides].flatMap(([path, text]) =>
      text
        .split('\n')
        .filter((line) => line.startsWith('|') && line.length > ROW_LETTERS)
        .map((line) => `${path}: ${line.slice(0, 60)}`),
    );

    expect(long).to.deep.equal([]);
  });

  it('say of every scene of chaos what it showed', () => {
    const promises = guides.get('src/docs/promises.md') ?? '';

    expect(Object.keys(scenes).filter((name) => !new RegExp(`\\b${name}\\b`).test(promises))).to.deep.equal([]);
  });

  it('have a row for every promise, which names a command that is there', () => {
    const rows = (guides.get('src/docs/promises.md') ?? '').split('\n').filter((line) => line.startsWith('| '));
    const isProven = (row: string) => {
      const command = row.split('|').at(-2) ?? '';
      const named = [...command.matchAll(/\b[A-Z][A-Z0-9]+\b/g)].map(([name]) => name);
      return /`[^`]*\b(?:mocha|npm run|node) /.test(command) || named.some((name) => name in scenes);
    };
    const unproven = Object.entries(PROMISES).flatMap(([letter, last]) =>
      Array.from({ length: last }, (_, n) => `${letter}${n + 1}`).filter(
        (id) => !rows.some((row) => new RegExp(`\\([^)]*\\b${id}\\b[^)]*\\)`).test(row) && isProven(row)),
      ),
    );

    expect(unproven).to.deep.equal([]);
  });

  it('link to existing files and headings', () => {
    const broken = [...guides].flatMap(([path, text]) =>
      [...text.matchAll(/\]\((?!https?:|\/)([^)#]*)(?:#([^)]*))?\)/g)]
        .filter(([, file = '', heading]) => !isThere(path, file, heading))
        .map(([link]) => `${path}: ${link}`),
    );

    expect(broken).to.deep.equal([]);
  });

  it('name existing tests for every chapter of the security standard', () => {
    const rows = (guides.get('src/docs/security.md') ?? '').split('\n').filter((line) => /^\| V\d/.test(line));
    const named = rows.map((row) => [...(row.split('|')[3] ?? '').matchAll(/`([^`]+)`/g)].map(([, path]) => path));

    expect(rows).to.have.length(15);
    for (const [n, paths] of named.entries()) expect(paths, rows[n]).not.to.be.empty;
    expect(named.flat().filter((path) => !existsSync(`${ROOT}${path}`))).to.deep.equal([]);
  });

  function isThere(from: string, file: string, heading: string | undefined): boolean {
    const target = file === '' ? from : new URL(file, `file:///${from}`).pathname.slice(1);
    if (!existsSync(ROOT + target)) return false;
    return heading === undefined || anchorsOf(guides.get(target) ?? '').includes(heading);
  }

  it('name only existing files', () => {
    const named = [...guides].flatMap(([path, text]) =>
      [...text.matchAll(/(?<![\w/.{*-])(?:src|sql|test|workers)\/[\w./-]*\.(?:test\.ts|ts|md|sql|yml|yaml)\b/g)]
        .filter(([file]) => !existsSync(ROOT + file))
        .map(([file]) => `${path}: ${file}`),
    );

    expect(named).to.deep.equal([]);
  });

  it('name only operations of the contract, metrics, and views and functions of ops that exist', async () => {
    const ours = [...guides].filter(([path]) => !path.startsWith('src/docs/venues/')); // those name the operations of others
    const { families } = readScrape(await openMetrics().scrape());
    const kit = await Array.fromAsync(glob('sql/ops/*.sql', { cwd: ROOT }));
    const unnamed = (route: string) => route.replace(/\{[^}]*\}/g, '{}');
    const existing = new Set([
      ...listOperations().map(({ method, path }) => unnamed(`${method.toUpperCase()} ${path}`)),
      ...families,
      ...kit.map((file) => `ops.${file.slice('sql/ops/'.length, -'.sql'.length)}`),
      'ops.ts', // src/commands/ops.ts
    ]);

    const unknown = ours.flatMap(([path, text]) =>
      [...text.matchAll(/\b(?:(?:GET|POST|PUT|PATCH|DELETE) \/v[12]\/[\w/{}-]+|ops\.[a-z_]+|tps_[a-z_]+)/g)]
        .filter(([name]) => !existing.has(unnamed(name)))
        .map(([name]) => `${path}: ${name}`),
    );

    expect(unknown).to.deep.equal([]);
  });

  it('list every setting, and no other', () => {
    const firstCells = (guides.get('src/docs/configuration.md') ?? '').match(/^\| `[^|]*\|/gm) ?? [];

    const listed = names(firstCells.join(), /`([A-Z][A-Z_]+)`/g);

    expect(listed).to.have.members([...Object.keys(settings.shape), 'DATA_DIR']);
  });

  it('name the default of every setting as the code has it', () => {
    const rows = [...(guides.get('src/docs/configuration.md') ?? '').matchAll(/^\| (`[A-Z][^|]*)\|.*\|([^|]*)\|$/gm)];
    const documented = rows.flatMap(([, first = '', last = '']) =>
      names(first, /`([A-Z_]+)`/g).map((name) => [name, last.replace(/,(?=\d{3})/g, '')] as const),
    );
    const defaults = Object.entries(settings.shape).flatMap(([name, schema]) => {
      const { data } = schema.safeParse(undefined);
      return data === undefined || typeof data === 'object' || name === 'REGISTRAR_ASSET' ? [] : [[name, String(data)]];
    });

    expect(defaults).to.have.length.above(40);
    for (const [name = '', value = ''] of defaults)
      expect(Object.fromEntries(documented)[name], name).to.include(value);
  });

  it('start from an environment file that names every setting', async () => {
    const given = names(await read('.env.example'), /^# ([A-Z][A-Z_]+)=/gm);

    expect(given).to.have.members(Object.keys(settings.shape));
  });

  it('name every error that a limit can cause beside the limit', async () => {
    const limits = guides.get('src/docs/limits.md') ?? '';
    const ofLimits = Object.entries(errors).filter(
      ([code, [status]]) => [408, 413, 429, 431].includes(status) || code.endsWith('_TOO_MANY'),
    );

    expect(ofLimits.length).to.be.above(10);
    expect(ofLimits.map(([code]) => code).filter((code) => !limits.includes(`\`${code}\``))).to.deep.equal([]);
  });

  it('name the states of an intent, and the members that a poll reads, as the contract does', () => {
    const { properties } = nodeAt('/components/schemas/Intent') as { properties: Record<string, { enum?: string[] }> };
    const [, member = '', rows = ''] =
      /^\| `(\w+)` of an intent .*\n.*\n((?:\|.*\n)+)/m.exec(guides.get('src/docs/writes.md') ?? '') ?? [];
    const cells = rows
      .trim()
      .split('\n')
      .map((row) => row.split('|'));
    const named = cells.flatMap(([, , meaning = '']) => [...meaning.matchAll(/`(\w+)`/g)].map(([, name]) => name));

    expect(cells.map(([, state = '']) => state.trim().replaceAll('`', ''))).to.deep.equal(properties[member]?.enum);
    expect(properties).to.include.all.keys(named);
  });

  it('have whole numbers in the tables of budgets', () => {
    const tables = [budgetTable(), throttleTable()].join('\n');

    expect(tables).to.include(
      '| 1200 weight a minute | 66 for exits, 84 for entries, 60 for tenants within their share |',
    );
    expect(tables).not.to.match(/\d\.\d/);
  });

  it('say of every alert in the log what to check, and of no other', async () => {
    const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: ROOT }));
    const logged = names((await Promise.all(files.map(read))).join('\n'), /\balert: '([a-z_]+)'/g);
    const [, table = ''] = /\n\| `alert` \|.*\n((?:\|.*\n)+)/.exec(guides.get('src/docs/operating.md') ?? '') ?? [];
    const firstCells = table.match(/^\| `[^|]*\|/gm) ?? [];

    expect(names(firstCells.join(), /`([a-z_]+)`/g)).to.have.members([...new Set(logged)]);
  });

  it('name only existing npm scripts and commands of `npm run ops`', async () => {
    const { scripts } = JSON.parse(await read('package.json'));

    const unknown = [...guides].flatMap(([path, text]) =>
      [...text.matchAll(/npm run ([\w:]+)(?: -- ([\w:]+))?/g)]
        .filter(([, name = '', command]) => !scripts[name] || (name === 'ops' && command && !(command in COMMANDS)))
        .map(([run]) => `${path}: ${run}`),
    );

    expect(unknown).to.deep.equal([]);
  });

  it(`hold decisions of at most ${DECISION_LINES} lines, each with its context, choice, cost and what would change it`, () => {
    const decisions = [...guides].filter(([path]) => path.startsWith('src/docs/decisions/'));

    expect(decisions).not.to.be.empty;
    for (const [path, text] of decisions) {
      expect(path).to.match(/\/\d{3}-[a-z0-9-]+\.md$/);
      expect(countLines(text), path).to.be.at.most(DECISION_LINES);
      const parts = text.match(/^\*\*.+?\*\*/gm);
      expect(parts, path).to.deep.equal([
        '**Context.**',
        '**Choice.**',
        '**Cost.**',
        '**What would change our mind.**',
      ]);
    }
  });
});

/** The first group of every match. */
const names = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** The anchors of a guide's headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
