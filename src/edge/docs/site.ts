import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StaticDocument, staticDocument } from '../static.ts';
import { guides, renderGuide, writtenGuide } from './guides.ts';
import { layout } from './layout.ts';
import { guideList, markdownPath } from './llms.ts';
import { postmanCollection } from './postman.ts';
import { renderReference } from './reference.ts';
import { searchIndex } from './search.ts';
import { servedContract } from './served-contract.ts';

/** A file as it is served. `policy` is its Content-Security-Policy; pages have one. */
export type ServedFile = { document: StaticDocument; policy?: string; caching?: string };

const assets = fileURLToPath(new URL('./assets', import.meta.url));

const POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:";
const FOR_A_DAY = 'public, max-age=86400'; // files of a package seldom change

const fileOf = (type: string, content: string | Buffer): ServedFile => ({ document: staticDocument(type, content) });
const script = (file: string) => () => fileOf('text/javascript', readFileSync(file));
const style = (file: string) => () => fileOf('text/css', readFileSync(file));
const json = (content: string) => fileOf('application/json', content);
const asset = (name: string) => path.join(assets, name);
const page = (content: string): ServedFile => ({ ...fileOf('text/html', content), policy: POLICY });
const markdown = (content: string) => fileOf('text/markdown; charset=utf-8', content);
const plain = (content: string) => fileOf('text/plain; charset=utf-8', content);
const ofPackage = (make: () => ServedFile) => () => ({ ...make(), caching: FOR_A_DAY });

const reference = () =>
  page(
    layout({
      title: 'Reference',
      path: '/docs/reference',
      body: renderReference(),
      scripts: ['/docs/reference.js'],
    }),
  );

/** What is served, and how it is made. */
const makers = new Map<string, () => ServedFile | Promise<ServedFile>>([
  ['/openapi.json', () => json(JSON.stringify(servedContract()))],
  ...guides.map((guide) => [guide.path, () => page(layout({ ...guide, body: renderGuide(guide) }))] as const),
  ...guides.map((guide) => [markdownPath(guide), () => markdown(writtenGuide(guide))] as const),
  ['/docs/postman.json', () => json(JSON.stringify(postmanCollection()))],
  ['/docs/llms.txt', () => plain(guideList())],
  ['/docs/reference', reference],
  ['/docs/search.json', async () => json(await searchIndex())],
  ['/docs/docs.css', style(asset('docs.css'))],
  ['/docs/docs.js', script(asset('docs.js'))],
  ['/docs/search.js', script(asset('search.js'))],
  ['/docs/reference.js', script(asset('reference.js'))],
  ['/docs/minisearch.js', ofPackage(script(fileURLToPath(import.meta.resolve('minisearch'))))],
]);
const made = new Map<string, ServedFile | Promise<ServedFile>>();

/** The file at a path, made at its first request; undefined if there is none. */
export function findFile(at: string): ServedFile | Promise<ServedFile> | undefined {
  const file = made.get(at) ?? makers.get(at)?.();
  if (file) made.set(at, file);
  return file;
}
