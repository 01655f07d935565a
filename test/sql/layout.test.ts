import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readDefinitions } from '../../src/db/definitions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINE_LIMIT = 250;
const WIDTH_LIMIT = 150;

/** The one file that may name the queue's private tables. */
const QUEUE_FILE = 'sql/functions/queue/queue_jobs.sql';
const PRIVATE = ['graphile_worker', '_private_'].join('.'); // this file does not name them either

describe('the layout of sql', () => {
  it('has one definition of every function, view and trigger, in a file of its name that starts with its contract', async () => {
    const definitions = await readDefinitions();

    const bare = definitions.filter(
      ({ file, text }) => !(file.startsWith('ops/') ? /^--|^comment on (function|view)/m : /^--/).test(text),
    );
    expect(bare.map(({ file }) => file)).to.deep.equal([]);
  });

  it('has tables in numbered files, and no definitions there', async () => {
    const found = await filesWith(
      'sql/[0-9]*.sql',
      /^\s*(create|alter|drop) (or replace )?(constraint )?(function|view|trigger)\b/im,
    );

    expect(found).to.deep.equal([]);
  });

  it('numbers its files from 0001 on, without a gap', async () => {
    const files = [...(await textsOf('sql/[0-9]*.sql')).keys()].map((file) => path.basename(file));
    const numbers = files.map((file) => Number(file.slice(0, 4))).sort((a, b) => a - b);

    expect(numbers.length).to.be.above(15);
    expect(numbers).to.deep.equal(numbers.map((_, n) => n + 1));
  });

  it('has a comment on every table in the database', async () => {
    const files = await textsOf('sql/[0-9]*.sql');
    const all = [...files.values()].join('\n');

    const tables = [...all.matchAll(/^create table (\w+)/gm)].map(([, name]) => name ?? '');
    expect(tables.length).to.be.above(40);
    expect(tables.filter((name) => !all.includes(`comment on table ${name} is`))).to.deep.equal([]);
  });

  it('names the queue’s private tables in one file only', async () => {
    const found = await filesWith('{sql,src,workers,test}/**/*.{sql,ts,js}', new RegExp(PRIVATE.replace('.', '\\.')));

    expect(found).to.deep.equal([QUEUE_FILE]);
  });

  it('makes small letters as ASCII has them: the locale of a database may have others, as Turkish a dotless i', async () => {
    const found = await filesWith('sql/functions/**/*.sql', /\b(lower|upper|initcap)\((?!.*collate "C"\))/);

    expect(found).to.deep.equal([]);
  });

  it(`has no file over ${LINE_LIMIT} lines except the snapshot`, async () => {
    const files = await textsOf('sql/**/*.sql');

    const long = [...files].filter(([, text]) => text.trimEnd().split('\n').length > LINE_LIMIT).map(([file]) => file);
    expect(long).to.deep.equal(['sql/schema.sql']);
  });

  it(`has no line of more than ${WIDTH_LIMIT} characters except in the snapshot`, async () => {
    const files = await textsOf('sql/**/*.sql');

    const long = [...files].flatMap(([file, text]) =>
      text.split('\n').flatMap((line, n) => (line.length > WIDTH_LIMIT ? `${file}:${n + 1}` : [])),
    );
    expect(long.filter((at) => !at.startsWith('sql/schema.sql:'))).to.deep.equal([]);
  });

  it('finds open intents by an `or` of their phases, since no one index has both', async () => {
    const texts = await textsOf('{sql,src,workers}/**/*.{sql,ts}');

    const lists = [...texts]
      .filter(([, text]) => /phase in \('pending', ?'in_doubt'\)/.test(text))
      .map(([file]) => file);
    expect(lists.filter((file) => file !== 'sql/schema.sql')).to.deep.equal([
      'sql/0003_intents.sql', // the index of closes in flight, by which is_closing finds them
      'sql/functions/orders/is_closing.sql',
    ]);
  });

  it('gives every prepared statement a name of its own, since a connection keeps one text for a name', async () => {
    const texts = await textsOf('src/**/*.ts');

    const names = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/\.prepared\('(\w+)'/g)].map(([, name]) => name),
    );
    expect(names).to.include('find_partner_keys');
    expect(names.filter((name, n) => names.indexOf(name) !== n)).to.deep.equal([]);
  });

  it('has no function that nothing names; those of `ops` are for people', async () => {
    const texts = [...(await textsOf('{sql/access.sql,{sql/functions,sql/ops,src,workers}/**/*.{sql,ts}}'))];
    const named = texts.map(
      ([file, text]) => [file, new Set(text.replaceAll(/^\s*--.*$/gm, '').match(/\w+/g))] as const,
    );

    const unused = texts.flatMap(([own, text]) => {
      const [, name = ''] = /^create or replace (?:function|view) (\w+)\b(?!\.)/m.exec(text) ?? [];
      return name === '' || named.some(([file, names]) => file !== own && names.has(name)) ? [] : [name];
    });
    expect(unused).to.deep.equal([]);
  });

  it('writes nothing in a query file', async () => {
    const found = await filesWith(
      'src/**/queries.ts',
      /\b(insert into|delete from|update) [a-z_]+\b|\bfor (no key )?update\b/,
    );

    expect(found).to.deep.equal([]);
  });

  it('calls no function that may write in a query file', async () => {
    const definitions = await readDefinitions();
    const writing = definitions
      .filter(
        ({ kind, text }) =>
          kind === 'function' && !/^(.*\) )?(returns .* )?language \w+ (stable|immutable)\b/m.test(text),
      )
      .map(({ file }) => path.basename(file, '.sql'));

    const found = await filesWith('src/**/queries.ts', new RegExp(`\\b(${writing.join('|')})\\(`));

    expect(writing).to.include('settle_intent');
    expect(found).to.deep.equal([]);
  });
});

/** Files of the project by their paths from its root. */
async function textsOf(pattern: string): Promise<Map<string, string>> {
  const files = await Array.fromAsync(glob(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] }));
  const texts = await Promise.all(files.sort().map((file) => readFile(path.join(ROOT, file), 'utf8')));
  return new Map(files.map((file, n) => [file, texts[n] ?? '']));
}

const filesWith = async (pattern: string, wanted: RegExp): Promise<string[]> =>
  [...(await textsOf(pattern))].filter(([, text]) => wanted.test(text)).map(([file]) => file);
