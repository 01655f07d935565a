import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The path of the artefact. `npm run schema` writes it, a test compares it with the code. */
export const CALLS_FILE = fileURLToPath(new URL('../../sql/calls.json', import.meta.url));

/** A function as its callers see it: the types of its arguments, how many may be left out, and its result. */
const signature = z.object({ args: z.array(z.string()), optional: z.number(), result: z.string() });
export type Signature = z.infer<typeof signature>;

const calls = z.object({
  functions: z.record(z.string(), signature),
  /** Tables and views: the columns by their types. */
  relations: z.record(z.string(), z.record(z.string(), z.string())),
  tasks: z.array(z.string()),
});

/** What code calls by name in the database, and the tasks that it has. */
export type Calls = z.infer<typeof calls>;

/** Reads calls that a database has stored. */
export const parseCalls = (value: unknown): Calls => calls.parse(value);

let ofThisVersion: Promise<Calls> | undefined;

/** What the code of this version calls. It is read once in a process. */
export function readCalls(): Promise<Calls> {
  ofThisVersion ??= readFile(CALLS_FILE, 'utf8').then((text) => parseCalls(JSON.parse(text)));
  return ofThisVersion;
}

/** The name of a set of calls: versions that call alike have one. */
export const digestOfCalls = (of: Calls): string => createHash('sha256').update(writeCalls(of)).digest('hex');

/** The text of the artefact: sorted, one name a line. */
export function writeCalls({ functions, relations, tasks }: Calls): string {
  const lines = (of: Record<string, unknown>) =>
    Object.keys(of)
      .toSorted()
      .map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(of[name])}`)
      .join(',\n');
  const names = tasks.toSorted().map((task) => `    ${JSON.stringify(task)}`);
  return `{\n  "functions": {\n${lines(functions)}\n  },\n  "relations": {\n${lines(relations)}\n  },\n  "tasks": [\n${names.join(',\n')}\n  ]\n}\n`;
}

/**
 * What callers of `before` miss in `after`: functions, columns and tasks that are gone or changed so that a call no longer
 * works. An argument may be added at the end if it may be left out, a column anywhere.
 */
export const missingCalls = (before: Calls, after: Calls): string[] => [
  ...Object.entries(before.functions).flatMap(([name, wanted]) => {
    const found = after.functions[name];
    if (!found) return [`function ${name}`];
    return isCallableAs(wanted, found) ? [] : [`function ${name}(${wanted.args.join(', ')}) returns ${wanted.result}`];
  }),
  ...Object.entries(before.relations).flatMap(([name, columns]) => {
    const found = after.relations[name];
    if (!found) return [`relation ${name}`];
    return Object.entries(columns).flatMap(([column, type]) =>
      found[column] === type ? [] : [`column ${name}.${column} ${type}`],
    );
  }),
  ...before.tasks.filter((task) => !after.tasks.includes(task)).map((task) => `task ${task}`),
];

function isCallableAs(wanted: Signature, found: Signature): boolean {
  const required = ({ args, optional }: Signature) => args.length - optional;
  const hasArguments = wanted.args.every((type, n) => found.args[n] === type);
  return hasArguments && required(found) <= required(wanted) && returnsAll(wanted.result, found.result);
}

/** Whether a result has all columns of another, by name and type. */
function returnsAll(wanted: string, found: string): boolean {
  if (wanted === found) return true;
  const [some, all] = [columnsOf(wanted), columnsOf(found)];
  return some !== null && all !== null && some.every((column) => all.includes(column));
}

const columnsOf = (result: string): string[] | null => /^TABLE\((.*)\)$/.exec(result)?.[1]?.split(', ') ?? null;
