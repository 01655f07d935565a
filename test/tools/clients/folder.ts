import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Generator } from './guide.ts';

const run = promisify(execFile);
const LONGEST_MS = 600_000;

/** A reader's folder in which a client was generated. */
export type Folder = {
  /** Compiles the program, and a copy with a wrong side of the order, which must not compile. */
  compile(): Promise<void>;
  /** Runs the compiled program; the lines it prints. */
  run(settings: Record<string, string>): Promise<string[]>;
  remove(): Promise<void>;
};

/** Makes a folder outside the project and generates a client of the service at a URL in it, as the guide says. */
export async function generate({ name, commands, program }: Generator, url: string): Promise<Folder> {
  const folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-${path.basename(name)}-`));
  const type = (script: string, settings: Record<string, string> = {}) =>
    run('bash', ['-ec', script], { cwd: folder, env: { ...readersEnv(), URL: url, ...settings }, timeout: LONGEST_MS });
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(path.join(folder, 'app'));
    await writeFile(path.join(folder, 'app/order.ts'), program);
    await writeFile(path.join(folder, 'app/wrong.ts'), wrong(program));
    await type(commands);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    async compile() {
      await type('npx tsc');
    },
    async run(settings) {
      const { stdout } = await type('node dist/order.js', settings);
      return stdout.trim().split('\n');
    },
    remove,
  };
}

/** The program with a side that no order has. A type that takes anything takes this too, and fails the compilation. */
function wrong(program: string): string {
  const line = /^.*order_type: 'LONG'.*$/m;
  if (!line.test(program)) throw new Error('The program places no order');
  return program.replace(line, (order) => `// @ts-expect-error: no such side\n${order.replace("'LONG'", "'UP'")}`);
}

/** The environment without what `npm run` adds about this project; nothing that a package brings is run at installation. */
function readersEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle)_.*|npm_config_local_prefix|INIT_CWD|NODE_COMPILE_CACHE)$/.test(name),
  );
  const quiet = { npm_config_ignore_scripts: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  return { ...Object.fromEntries(kept), ...quiet };
}
