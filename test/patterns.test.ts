import { globSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import ts from 'typescript';
import { document } from '../src/contract/document.ts';

const MOST_MS = 50; // a quadratic pattern takes 100 times as long as a linear one, which takes below 1
const LENGTH = 20_000;

/** Prefixes, repeated parts, and suffixes that match none of the patterns. */
const heads = [
  '',
  'a@',
  'a@a',
  'http://',
  'https://a/',
  'http://[',
  'urn:',
  '2020-01-01T00:00:00.',
  '0x',
  '::',
  '1.1.1.',
  'app_',
];
const parts = [
  'a',
  '0',
  '-',
  '.',
  'a.',
  'a-',
  '1.',
  ':',
  'a:',
  '%',
  '%41',
  '/',
  'a/',
  '@',
  'a@',
  'é',
  ' ',
  '_',
  '[',
  "'",
  '0:',
  '{a}',
  '{ ',
  '"',
  '<a',
];
const tails = ['', '!', '\n', '@'];
const attempts = heads.flatMap((head) =>
  parts.flatMap((part) => tails.map((tail) => head + part.repeat(LENGTH / part.length) + tail)),
);

const ajv = new Ajv2020();
formats.default(ajv);

describe('patterns and formats of the contract', () => {
  for (const [keyword, value] of textRules(document))
    it(`${keyword} ${value} takes no longer for adversarial texts`, () => {
      const check = ajv.compile({ type: 'string', [keyword]: value });

      const slow = attempts.filter((text) => isSlow(() => check(text)));

      expect(slow).to.be.empty;
    });

  it('would be detected as slow otherwise', () => {
    const check = ajv.compile({ type: 'string', pattern: '^([a-z]+)*\\d$' });

    expect(isSlow(() => check('a'.repeat(24)))).to.equal(true);
  });
});

/** Where texts of callers are read. The guides, which src/edge/docs renders, are our own. */
const SOURCES = ['src/edge/*.ts', 'src/kernel/*.ts', 'src/capabilities/**/*.ts'];
/** What reads only strings that are closed: its texts have been parsed before. */
const OF_PARSED_TEXT = ['/"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"/g'];

describe('patterns of the source', () => {
  for (const [pattern, file] of patternsOf(globSync(SOURCES)))
    it(`${pattern} of ${file} takes no longer for adversarial texts`, () => {
      const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(pattern) ?? [];

      const slow = attempts.find((text) => isSlow(() => text.search(new RegExp(source, flags))));

      expect(slow?.slice(0, 20)).to.equal(undefined);
    });
});

/** Every pattern in files, once, and the first file that has it. */
function patternsOf(files: string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of files) {
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && !found.has(node.text)) found.set(node.text, file);
      node.forEachChild(visit);
    };
    visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest));
  }
  for (const pattern of OF_PARSED_TEXT) found.delete(pattern);
  return found;
}

/** Every pattern and format of the document, once. */
function textRules(node: unknown, found = new Map<string, [string, string]>()): [string, string][] {
  if (node === null || typeof node !== 'object') return [];
  for (const [name, value] of Object.entries(node)) {
    if ((name === 'pattern' || name === 'format') && typeof value === 'string') found.set(name + value, [name, value]);
    textRules(value, found);
  }
  return [...found.values()];
}

/** Whether it is slow every time: once may be the garbage collector. */
const isSlow = (work: () => unknown): boolean => [1, 2, 3].every(() => elapsed(work) >= MOST_MS);

/** The milliseconds that this thread computed, whatever else the machine does. */
function elapsed(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1_000;
}
