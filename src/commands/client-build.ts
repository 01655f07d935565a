import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Writes the client as a package of JavaScript and types, without the service and what it depends on:
 *   npm run ops -- client:build [folder]
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const emit = ['--noEmit', 'false', '--noCheck', '--outDir', folder]; // npm run check has checked it
execFileSync(process.execPath, [compiler, '-p', path.join(root, 'src/client'), ...emit], { stdio: 'inherit' });

const { name, version, description, license, type, dependencies } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
);
const entry = { types: './client/index.d.ts', default: './client/index.js' };
const client = {
  ...{ name, version, description, license, type },
  engines: { node: '>=20.3' }, // AbortSignal.any
  exports: { './client': entry },
  dependencies: { 'openapi-fetch': dependencies['openapi-fetch'] },
};
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(client, null, 2)}\n`);
