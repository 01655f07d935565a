import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';

const root = new URL('../../', import.meta.url);

const files = [
  'LICENSE',
  'Procfile',
  'README.md',
  'biome.json',
  'knip.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];
const folders = ['sql', 'src', 'test', 'workers'];
/** Created by `npm ci`, `npm run coverage` and `npm run ops -- client:build`, and ignored by git. */
const made = ['coverage', 'dist', 'node_modules'];

describe('the top level', () => {
  it('contains the listed files and folders, dotfiles, and nothing else', async () => {
    const entries = (await readdir(root, { withFileTypes: true })).filter(
      ({ name }) => !name.startsWith('.') && !name.endsWith('.log') && !made.includes(name),
    );

    const found = {
      files: entries.filter((entry) => entry.isFile()).map(({ name }) => name),
      folders: entries.filter((entry) => !entry.isFile()).map(({ name }) => name),
    };

    expect({ files: found.files.sort(), folders: found.folders.sort() }).to.deep.equal({ files, folders });
  });

  it('has at most 20 scripts, since what a person runs rarely is a command of `npm run ops`', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

    expect(Object.keys(scripts)).to.have.length.of.at.most(20);
  });
});
