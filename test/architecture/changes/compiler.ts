import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Reports the type errors of some files of a copy, by their paths in the project; with `unchanged`, as if that file had not been changed. */
export type Compiler = (files: string[], unchanged?: string) => string[];

/**
 * Makes compilers of copies. A file of a copy has the path that it has in the project, so that all copies share what was parsed and
 * resolved, but for the files whose text differs.
 */
export function compilersOfCopies(): (root: string) => Compiler {
  const options = optionsOfProject();
  const parsed = new Map<string, ts.SourceFile>();
  const resolved = ts.createModuleResolutionCache(ROOT, (path) => path, options);
  return (root) => (files, unchanged) => {
    const inCopy = (path: string) =>
      path.startsWith(ROOT) && !isOfPackage(path) && path !== join(ROOT, unchanged ?? '')
        ? join(root, path.slice(ROOT.length))
        : path;
    const host = ts.createCompilerHost(options);
    const readFile: ts.CompilerHost['readFile'] = (path) => ts.sys.readFile(inCopy(path));
    const getSourceFile: ts.CompilerHost['getSourceFile'] = (path, language) => {
      const earlier = parsed.get(path);
      if (earlier && isOfPackage(path)) return earlier;
      const text = readFile(path);
      if (text === undefined || text === earlier?.text) return text === undefined ? undefined : earlier;
      const file = ts.createSourceFile(path, text, language);
      parsed.set(path, file);
      return file;
    };
    Object.assign(host, {
      readFile,
      getSourceFile,
      fileExists: (path: string) => ts.sys.fileExists(inCopy(path)),
      directoryExists: (path: string) => ts.sys.directoryExists(inCopy(path)),
      resolveModuleNameLiterals: resolverOf(host, resolved),
    });
    const program = ts.createProgram(
      files.map((file) => join(ROOT, file)),
      options,
      host,
    );
    return files.flatMap((file) => errorsOf(program, file));
  };
}

const isOfPackage = (path: string) => path.includes('/node_modules/');

function optionsOfProject(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ['src/web.ts'] }, ts.sys, ROOT);
  return { ...options, noEmit: true };
}

/** Resolves imports with a cache that several programs share: they differ in the texts of files, hardly in what exists. */
const resolverOf =
  (host: ts.CompilerHost, cache: ts.ModuleResolutionCache): NonNullable<ts.CompilerHost['resolveModuleNameLiterals']> =>
  (literals, from, redirected, options, file) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(file, literal, options);
      return ts.resolveModuleName(literal.text, from, options, host, cache, redirected, mode);
    });

function errorsOf(program: ts.Program, file: string): string[] {
  const diagnostics = program.getSemanticDiagnostics(program.getSourceFile(join(ROOT, file)));
  return diagnostics.map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}
