import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'src/docs/venues';

/** A citation in code: `venues/<page>.md#<heading>`. */
const CITATION = /\bvenues\/([\w-]+\.md)#([\w-]+)/g;
const OTHER_FORM = /venue facts|network facts|exchange facts/i;

describe('the facts about venues', () => {
  const pages = new Map<string, string[]>();
  const citing: { file: string; text: string }[] = [];
  before(async () => {
    for await (const file of glob(`${FOLDER}/*.md`, { cwd: ROOT })) {
      const text = await readFile(ROOT + file, 'utf8');
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
      pages.set(file.slice(FOLDER.length + 1), headings);
    }
    for await (const file of glob('{src,workers,sql,test}/**/*.{ts,sql,json,md}', {
      cwd: ROOT,
      exclude: ['**/node_modules/**'],
    }))
      if (!file.endsWith('venue-facts.test.ts')) citing.push({ file, text: await readFile(ROOT + file, 'utf8') });
  });

  it('exist under every heading that code cites', () => {
    const citations = citing.flatMap(({ file, text }) =>
      [...text.matchAll(CITATION)].map(([, page = '', heading = '']) => ({ file, page, heading })),
    );

    const broken = citations.filter(({ page, heading }) => !pages.get(page)?.includes(heading));

    expect(citations).to.have.length.above(100);
    expect(broken).to.deep.equal([]);
  });

  it('are cited in one form', () => {
    expect(citing.filter(({ text }) => OTHER_FORM.test(text)).map(({ file }) => file)).to.deep.equal([]);
  });

  it('are each cited under a heading of their own', () => {
    for (const [page, headings] of pages) expect(new Set(headings).size, page).to.equal(headings.length);
  });
});

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
