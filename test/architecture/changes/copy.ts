import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Compiler, ROOT } from './compiler.ts';

const COPIED = [
  'src',
  'sql',
  'workers',
  'test',
  'package.json',
  'tsconfig.json',
  '.mocharc.json',
  'Procfile',
  'README.md',
];
/** Packages are linked, or not needed. */
const isOwn = (file: string) => basename(file) !== 'node_modules';
const run = promisify(execFile);

/** A change as a developer makes it: files that are new, and lines that are put after a line that occurs once. */
export type Change = {
  adds: Record<string, string>;
  edits: { file: string; after: string; put: string }[];
  /** The test of the change, run in the copy with those that exist (`and`); not counted as a file that the change opens. */
  test: { file: string; text: string; and?: string[] };
};

/** A copy of the project with changes applied and the contract's types generated anew. */
export type Copy = {
  /** The errors of the changed files, and of `others`, by the compiler; with `without`, as if that file had not been changed. */
  typeErrors(options: { others?: string[]; without?: string }): string[];
  /** Runs the tests of the changes. Resolves to the output of mocha, and the files with a failure. Rejects if it did not run them. */
  runTests(): Promise<{ output: string; failedFiles: string[] }>;
  remove(): Promise<void>;
};

/** Copies the project and applies changes. Throws if a line that is put after another does not find it exactly once. */
export async function changedCopy(changes: Change[], compilerOf: (root: string) => Compiler): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'changed-'));
  await Promise.all(COPIED.map((name) => cp(join(ROOT, name), join(root, name), { recursive: true, filter: isOwn })));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const change of changes) await apply(change, root);
  await writeTypes(root);
  const changed = changes.flatMap(filesOf).filter((file) => file.endsWith('.ts'));
  const compiler = compilerOf(root);
  return {
    typeErrors: ({ others = [], without }) => compiler([...changed, ...others], without),
    async runTests() {
      const { TEST_SERVER: _, ...env } = process.env; // a shared server has the schema of the original
      const files = changes.flatMap(({ test }) => [test.file, ...(test.and ?? [])]);
      const { stdout, stderr, code } = await run('mocha', files, { cwd: root, env }).then(
        (done) => ({ ...done, code: 0 }),
        (failed: { stdout: string; stderr: string; code: number }) => failed,
      );
      const failedFiles = Array.from(stdout.matchAll(/^failed file: (.*)$/gm), ([, file = '']) => relative(root, file));
      const output = `${stdout}\n${stderr}`.replace(/^failed file:.*$/gm, '');
      if (code !== 0 && failedFiles.length === 0) throw new Error(output);
      return { output, failedFiles };
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** By the copy's own generator, in this process: one of its own would load the compiler once more. */
async function writeTypes(root: string): Promise<void> {
  const { generateTypes }: typeof import('../../contract/generate-types.ts') = await import(
    join(root, 'test/contract/generate-types.ts')
  );
  await writeFile(join(root, 'src/contract/types.ts'), await generateTypes());
}

async function apply({ adds, edits, test }: Change, root: string): Promise<void> {
  for (const [file, text] of Object.entries({ ...adds, [test.file]: test.text })) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  for (const { file, after, put } of edits) {
    const [before = '', behind, ...more] = (await readFile(join(root, file), 'utf8')).split(after);
    if (behind === undefined || more.length > 0) throw new Error(`${file} has not exactly one: ${after}`);
    await writeFile(join(root, file), `${before}${after}${put}${behind}`);
  }
}

const filesOf = ({ adds, edits }: Change): string[] => [
  ...new Set([...Object.keys(adds), ...edits.map(({ file }) => file)]),
];

/** The number of files that a developer opens for a change. */
export const openedBy = (change: Change): number => filesOf(change).length;
