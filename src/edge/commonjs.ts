import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const REQUIRED = /\brequire\('([^']+)'\)/g;

/**
 * Joins a CommonJS module with all it requires into one ES module for the browser, which exports the members named. For small
 * packages that ship no browser build: requires must be literal, and what they name must need nothing of Node's.
 */
export function joinedModule(entry: string, members: string[]): string {
  const numbers = new Map<string, number>();
  const parts: string[] = [];
  take(createRequire(import.meta.url).resolve(entry));
  return `const parts = [\n${parts.join(',\n')}\n];
const made = [];
const load = (n) => {
  if (!made[n]) parts[n]((made[n] = { exports: {} }), made[n].exports, load);
  return made[n].exports;
};
export const { ${members.join(', ')} } = load(0);\n`;

  function take(file: string): number {
    const known = numbers.get(file);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(file, number);
    const near = createRequire(file);
    const text = readFileSync(file, 'utf8').replace(REQUIRED, (_, name) => `require(${take(near.resolve(name))})`);
    parts[number] = `(module, exports, require) => {\n'use strict';\n${text}\n}`;
    return number;
  }
}
