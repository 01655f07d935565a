import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { Calls } from './calls.ts';
import { readCatalog } from './catalog.ts';
import { withSession } from './session.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The code of the processes and commands. What runs in browsers and at callers reaches no database. */
const CODE = '{src/**,workers/**}/*.ts';
const ELSEWHERE = /^src\/(client|console|contract|docs)\//;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/**
 * What the code calls in a migrated database, by its text: every function that it names, and every table and view that it
 * reads or writes, with the columns that the same file names. A name that means something else is at worst kept longer.
 */
export async function findCalls(url: string, tasks: string[]): Promise<Calls> {
  const client = new Client({ connectionString: withSession(url) });
  await client.connect();
  try {
    const { functions, relations } = await readCatalog(client);
    const texts = await readCode();
    return {
      functions: pick(functions, (name) => texts.some((text) => text.has(name.replace('ops.', '')))),
      relations: columnsCalled(relations, texts),
      tasks,
    };
  } finally {
    await client.end();
  }
}

/** The words of a file, and the relations whose rows it reads or writes. */
type Text = { has(word: string): boolean; relations: ReadonlySet<string>; isFragment: boolean };

async function readCode(): Promise<Text[]> {
  const files = (await Array.fromAsync(glob(CODE, { cwd: ROOT }))).filter((file) => !ELSEWHERE.test(file));
  return Promise.all(files.map(async (file) => textOf(await readFile(path.join(ROOT, file), 'utf8'))));
}

function textOf(code: string): Text {
  const bare = code.replace(COMMENT, '');
  const words = new Set(bare.match(/\w+/g));
  const read = [...bare.matchAll(/\b(?:from|join|into|update|table) (?:only )?([a-z_.]+)/g)];
  const named = [...bare.matchAll(/'((?:ops\.)?[a-z_]+)'/g)]; // given to a statement as an identifier
  return {
    has: (word) => words.has(word),
    relations: new Set([...read, ...named].map(([, name = '']) => name)),
    isFragment: bare.includes('sql.fragment'),
  };
}

function columnsCalled(relations: Calls['relations'], texts: Text[]): Calls['relations'] {
  const isCalled = (name: string) => texts.some((text) => text.relations.has(name));
  const called = Object.entries(relations).filter(([name]) => isCalled(name));
  return Object.fromEntries(
    called.map(([name, columns]) => {
      const where = texts.filter((text) => text.relations.has(name) || text.isFragment);
      return [name, pick(columns, (column) => where.some((text) => text.has(column)))];
    }),
  );
}

const pick = <Value>(all: Record<string, Value>, isMeant: (name: string) => boolean): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([name]) => isMeant(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
