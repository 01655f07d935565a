import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/**
 * Loads a program with the code that an earlier start compiled (`npm run ops -- compile` does too). It has to be enabled before
 * the program is loaded, so the files of the processes import nothing else. NODE_COMPILE_CACHE names another folder.
 */
export function compiled<Program>(load: () => Promise<Program>): Promise<Program> {
  enableCompileCache(FOLDER);
  return load();
}
