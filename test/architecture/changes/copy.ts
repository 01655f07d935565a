import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
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

/** A copy of the project with a change applied and the contract's types generated anew. */
export type Copy = {
  /** The errors of the changed files, and of `others`, by the compiler; with `without`, as if that file had not been changed. */
  typeErrors(options: { others?: string[]; without?: string }): string[];
  /** Runs the change's test. Rejects with its output if it fails. */
  runTest(): Promise<void>;
  remove(): Promise<void>;
};

/** Copies the project and applies a change. Throws if a line that is put after another does not find it exactly once. */
export async function changedCopy({ adds, edits, test }: Change): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'changed-'));
  await Promise.all(COPIED.map((name) => cp(join(ROOT, name), join(root, name), { recursive: true, filter: isOwn })));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const [file, text] of Object.entries({ ...adds, [test.file]: test.text })) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  for (const { file, after, put } of edits) {
    const [before = '', behind, ...more] = (await readFile(join(root, file), 'utf8')).split(after);
    if (behind === undefined || more.length > 0) throw new Error(`${file} has not exactly one: ${after}`);
    await writeFile(join(root, file), `${before}${after}${put}${behind}`);
  }
  await run(process.execPath, ['test/contract/generate-types.ts'], { cwd: root });
  const changed = [...Object.keys(adds), ...edits.map(({ file }) => file)].filter((file) => file.endsWith('.ts'));
  const compiler = compilerOf(root);
  return {
    typeErrors: ({ others = [], without }) => compiler([...changed, ...others], without),
    async runTest() {
      const { TEST_SERVER: _, ...env } = process.env; // a shared server has the schema of the original
      await run('mocha', [test.file, ...(test.and ?? [])], { cwd: root, env }).catch(({ stdout, stderr }) => {
        throw new Error(`${stdout}\n${stderr}`.replace(/^failed file:.*$/gm, ''));
      });
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** The number of files that a developer opens for a change. */
export const openedBy = ({ adds, edits }: Change): number =>
  new Set([...Object.keys(adds), ...edits.map(({ file }) => file)]).size;

/** The files of packages, which all copies link, by their path. */
const packages = new Map<string, ts.SourceFile | undefined>();

/** Makes a compiler of a copy, which parses each file once. */
function compilerOf(root: string): (files: string[], unchanged?: string) => string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const own = new Map<string, ts.SourceFile | undefined>();
  const { getSourceFile } = host;
  host.getSourceFile = (path, language) => {
    const parsed = path.includes('/node_modules/') ? packages : own;
    if (!parsed.has(path)) parsed.set(path, getSourceFile.call(host, path, language));
    return parsed.get(path);
  };
  return (files, unchanged) => {
    const now = unchanged === undefined ? undefined : join(root, unchanged);
    const text = unchanged === undefined ? '' : ts.sys.readFile(join(ROOT, unchanged));
    const ofOriginal: ts.CompilerHost = {
      ...host,
      getSourceFile: (path, language) =>
        path === now ? ts.createSourceFile(path, text ?? '', language) : host.getSourceFile(path, language),
    };
    const program = ts.createProgram(
      files.map((file) => join(root, file)),
      { ...options, noEmit: true },
      ofOriginal,
    );
    return files.flatMap((file) =>
      program
        .getSemanticDiagnostics(program.getSourceFile(join(root, file)))
        .map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
    );
  };
}
