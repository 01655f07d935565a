import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** A body that ends after its first event, whatever was sent with it. */
export function cutAfterFirstEvent(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let text = '';
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        text += new TextDecoder().decode(chunk);
        const [event] = /^[\s\S]*?data:[\s\S]*?\n\n/.exec(text) ?? [];
        if (event === undefined) return;
        controller.enqueue(new TextEncoder().encode(event));
        controller.terminate();
      },
    }),
  );
}

/** The examples of the client's guide, as one program. */
async function examples(): Promise<string> {
  const guide = await readFile(`${ROOT}src/docs/client.md`, 'utf8');
  return [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
}

/** Makes a folder where the built client is installed as a package, with a program; removes it when `use` has ended. */
export async function withInstalledClient<Result>(
  text: string,
  use: (program: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-client-`));
  try {
    const modules = path.join(folder, 'node_modules');
    await mkdir(modules);
    await symlink(`${ROOT}node_modules/openapi-fetch`, path.join(modules, 'openapi-fetch'));
    const installed = path.join(modules, 'trading-partner-service');
    await run(process.execPath, ['src/commands/client-build.ts', installed], { cwd: ROOT });
    const program = path.join(folder, 'program.ts');
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(program, text);
    return await use(program);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the examples of the guide with the installed client; their lines. */
export const runExamples = async (settings: Record<string, string>): Promise<string[]> =>
  withInstalledClient(await examples(), async (program) => {
    const { stdout } = await run(process.execPath, [program], { env: { ...process.env, ...settings } });
    return stdout.trim().split('\n');
  });

/**
 * Rejects with what the compiler says if the examples of the guide do not compile with the installed client and the library of
 * the oldest Node that the guide names.
 */
export const compileExamples = async (): Promise<void> =>
  withInstalledClient(await examples(), async (program) => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2023'];
    const types = ['--module', 'nodenext', '--types', 'node', '--typeRoots', `${ROOT}node_modules/@types`];
    await run(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, ...options, ...types, program]).catch(
      ({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)),
    );
  });
