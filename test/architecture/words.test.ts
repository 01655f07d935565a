import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { errors } from '../../src/kernel/errors.ts';
import { ALLOWED, isOutdated, isOutdatedText, isOutdatedTitle } from '../support/words/glossary.ts';
import { contentsOf, fileNamesOf, namesInSql, proseIn, slugsInSql, textsInSql } from '../support/words/names.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What is read of a file: `names` of code, columns and other SQL, and outside tests slugs; `texts` that people see; `prose`:
 * comments and guides, line by line.
 */
type Read = { path: string; names: string[]; texts: string[]; prose: string[] };

function readSource(path: string, text: string): Read {
  const prose = proseIn(path, text);
  if (path.endsWith('.md')) return { path, names: [], texts: [], prose };
  if (path.endsWith('.sql')) {
    const isApplied = /^sql\/\d/.test(path);
    const names = [...namesInSql(text), ...(isApplied ? [] : slugsInSql(text))];
    return { path, names, texts: textsInSql(text), prose: isApplied ? [] : prose };
  }
  const { identifiers, slugs, texts, sql } = contentsOf(path, text);
  const names = [...identifiers, ...namesInSql(sql)];
  return { path, names: path.startsWith('test/') ? names : [...names, ...slugs, ...slugsInSql(sql)], texts, prose };
}

const outdatedNames = ({ names, path }: Read) => names.filter((name) => isOutdated(name, path));
const outdatedFiles = ({ path }: Pick<Read, 'path'>) => fileNamesOf(path).filter((name) => isOutdated(name, path));
const outdatedTexts = ({ texts }: Read) => texts.filter(isOutdatedText);
const outdatedProse = ({ prose }: Read) => prose.filter(isOutdatedText);
const outdatedTitles = (titles: readonly string[]) => titles.filter(isOutdatedTitle);

describe('words', () => {
  let all: Read[];
  before(async function () {
    this.timeout(120_000);
    all = await read('{README.md,{src,workers,test,sql}/**/*.{ts,js,sql,md}}');
  });

  const listed = (find: (file: Read) => string[], files: Read[]) => [
    ...new Set(files.flatMap((file) => find(file).map((name) => `${file.path}: ${name}`))),
  ];

  it('of the glossary stand in every name: of code, of SQL, of tasks', () => {
    expect(listed(outdatedNames, all)).to.deep.equal([]);
  });

  it('of the glossary stand in the name of every file', () => {
    const named = all.filter(({ path }) => !path.startsWith('src/docs/decisions/')); // these names are sentences

    expect(listed(outdatedFiles, named)).to.deep.equal([]);
  });

  it('of the glossary stand in every error title', () => {
    expect(outdatedTitles(Object.values(errors).map(([, title]) => title))).to.deep.equal([]);
  });

  it('of the glossary stand in every log message, title of a test and other text of code and SQL', () => {
    const shown = all.filter(({ path }) => !/^(src\/sandbox\/|sql\/\d)/.test(path));

    expect(listed(outdatedTexts, shown)).to.deep.equal([]);
  });

  it('of the glossary stand in every comment, guide and description of the contract', () => {
    expect(listed(outdatedProse, all)).to.deep.equal([]);
  });

  it('that are allowed to stay occur', () => {
    const names = new Set(all.flatMap(({ names }) => names));

    expect(Object.keys(ALLOWED).filter((name) => !names.has(name))).to.deep.equal([]);
  });
});

describe('a word that the glossary replaces is found', () => {
  const at = (path: string, text: string) => outdatedNames(readSource(path, text));

  it('in an identifier, whatever its spelling', () => {
    expect(at('src/a.ts', 'const toldAt = MAX_TRIES; resolveDoubt(markInDoubt, lookUps)')).to.deep.equal([
      'toldAt',
      'MAX_TRIES',
      'resolveDoubt',
    ]);
  });

  it('in a column, also of a fragment', () => {
    expect(at('sql/ops/a.sql', "select i.told_cents as x -- told\nwhere x = 'as told here'")).to.deep.equal([
      'told_cents',
    ]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample is source text
    expect(at('src/a.ts', 'sql.fragment`i.attempts as tries, ${x}, i.n as looks`')).to.deep.equal(['tries', 'looks']);
    expect(at('test/a.ts', 'rows(`select doubted_because from ops.upstreams`)')).to.deep.equal(['doubted_because']);
  });

  it('in the name of a file', () => {
    expect(outdatedFiles({ path: 'src/sandbox/exchange/placing.ts' })).to.deep.equal(['placing']);
    expect(outdatedFiles({ path: 'src/db/look-up-slots.ts' })).to.deep.equal([]);
  });

  it('in the name of a task, and in a verdict', () => {
    expect(outdatedFiles({ path: 'workers/webhooks/wake.ts' })).to.deep.equal(['wake']);
    expect(at('sql/functions/a.sql', "money_job('payments/look', p); verdict := 'parted';")).to.deep.equal([
      'payments/look',
      'parted',
    ]);
  });

  it('in a title', () => {
    expect(outdatedTitles(['Payment refused.', 'Payment rejected.'])).to.deep.equal(['Payment refused.']);
  });

  it('in a log message', () => {
    const text = "log.warn({ err }, 'the venue has not answered'); log.info('response received')";

    expect(outdatedTexts(readSource('src/a.ts', text))).to.deep.equal(['the venue has not answered']);
  });

  it('in a comment, and in a guide', () => {
    const comments = '/** Tells the owner. */\n * told\nconst a = 1; // refused `told`';

    expect(outdatedProse(readSource('src/a.ts', comments))).to.have.length(3);
    expect(outdatedProse(readSource('src/docs/a.md', 'What it answers.\n```\ntold\n```\n'))).to.have.length(1);
  });

  it('unless it is allowed there', () => {
    expect(at('src/console/a.js', 'element.hidden = true')).to.deep.equal([]);
    expect(at('src/capabilities/payments/a.ts', 'const hidden = 1')).to.deep.equal(['hidden']);
  });
});

async function read(pattern: string): Promise<Read[]> {
  const paths = await Array.fromAsync(glob(pattern, { cwd: root }));
  const checked = paths.filter(
    (path) => !/^(sql\/schema\.sql|test\/support\/words\/|test\/architecture\/words)/.test(path),
  );
  return Promise.all(checked.sort().map(async (path) => readSource(path, await readFile(join(root, path), 'utf8'))));
}
