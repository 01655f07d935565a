import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SQL = fileURLToPath(new URL('../../sql/', import.meta.url));

/** Every function, view and trigger has one file, named after it. */
const DEFINITION_FILES = '{functions/*,ops}/*.sql';
const ACCESS_FILE = 'access.sql';

/** The order of creation: views and triggers use functions. Function bodies are checked after all are created. */
const KINDS = ['function', 'view', 'trigger', 'access'] as const;
type Kind = (typeof KINDS)[number];

/** One current definition. `name` is the argument of `drop <kind>`; for a trigger that is `<trigger> on <table>`. */
export type Definition = { kind: Kind; name: string; file: string; text: string; sha256: string };

/**
 * Reads all definitions, in an order in which they can be created. Throws if a file's content does not match its name.
 */
export async function readDefinitions(): Promise<Definition[]> {
  const files = await Array.fromAsync(glob(DEFINITION_FILES, { cwd: SQL }));
  const definitions = await Promise.all([...files.sort(), ACCESS_FILE].map(readDefinition));
  const names = definitions.map(({ name }) => name);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice) throw new Error(`${twice} is defined twice in sql/.`);
  return KINDS.flatMap((kind) => inOrderOfUse(definitions.filter((definition) => definition.kind === kind)));
}

async function readDefinition(file: string): Promise<Definition> {
  const text = await readFile(path.join(SQL, file), 'utf8');
  const sha256 = createHash('sha256').update(text).digest('hex');
  if (file === ACCESS_FILE) return { kind: 'access', name: 'access', file, text, sha256 };
  const { kind, name } = parseDefinition(text, file);
  if (path.basename(file, '.sql') !== name.replace(/^ops\.| on .*$/g, ''))
    throw new Error(`sql/${file} defines ${kind} ${name}. A file must have the name of its definition.`);
  return { kind, name, file, text, sha256 };
}

const OPENING =
  /^create (?:or replace (?=function|view)|(?:constraint )?(?=trigger))(function|view|trigger) ([a-z_.]+)/gm;

const OTHER =
  /^(create (?!or replace (function|view)|(constraint )?trigger)|drop|alter|grant|revoke|insert|update|delete|do)\b/im;

/**
 * Parses a file: one `create or replace` of a function or view, or one `create` of a trigger. Throws for anything else.
 */
export function parseDefinition(text: string, file: string): { kind: Kind; name: string } {
  const [opening, ...more] = text.matchAll(OPENING);
  if (!opening || more.length > 0 || OTHER.test(text))
    throw new Error(`sql/${file} does not hold one definition, with at most a comment on it.`);
  const [, kind, name = ''] = opening;
  const table = kind === 'trigger' ? / on ([a-z_]+)/.exec(text.slice(opening.index))?.[1] : undefined;
  return { kind: kind as Kind, name: table ? `${name} on ${table}` : name }; // as: OPENING matches only these kinds
}

/**
 * Sorts views so that each comes after the views it reads. Other kinds are unchanged: only views are resolved at
 * creation.
 */
export function inOrderOfUse(definitions: Definition[]): Definition[] {
  if (definitions[0]?.kind !== 'view') return definitions;
  const placed: Definition[] = [];
  const place = (definition: Definition, within: Definition[]) => {
    if (placed.includes(definition)) return;
    if (within.includes(definition)) throw new Error(`View ${definition.name} reads itself through other views.`);
    for (const other of definitions)
      if (other !== definition && names(definition, other)) place(other, [...within, definition]);
    placed.push(definition);
  };
  for (const definition of definitions) place(definition, []);
  return placed;
}

const names = ({ text }: Definition, { name }: Definition): boolean =>
  new RegExp(`(from|join) ${name.replace('.', '\\.')}\\b`).test(text);
