import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import type { Json } from './schemas.ts';

const DEEP = 3_000;
const BEYOND_LIMIT = 140 * 1024; // of a body

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Values that hardly any member expects, in JSON; some can only be written as text. */
const odd = [
  'null', 'true', '0', '-1', '-0', '1.5', '1e309', '-1e309', '1e-400', '9007199254740993', '99999999999999999999999999',
  '""', '" "', '"NaN"', '"Infinity"', '"-1"', '"0x10"', '"1e3"', '"null"', '"true"', '"[object Object]"', '"\\u0000"',
  '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\u202e\\u200b"', '"\\r\\nX-Injected: 1"',
  '"\'; drop table users; --"', '"%00"', '"../../etc/passwd"', '"{{7*7}}#{7*7}"', '"<script>alert(1)</script>"',
  '"__proto__"', '"constructor"', '[]', '{}', '[[]]', '[null]', '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}', '{"toString":1,"valueOf":2}', '{"length":-1}', '{"$gt":""}',
  JSON.stringify('x'.repeat(5_000)), JSON.stringify('é'.repeat(3_000)), JSON.stringify('a'.repeat(60_000)),
  nested('[', ']', 70), nested('{"a":', '}', 70), nested('[', ']', DEEP),
]; // biome-ignore format: a table

const MARK = 'here\u0001'; // occurs in no generated text

/**
 * The text of a value in which one member, at any depth, is made odd, left out, doubled, or joined by an unknown one.
 */
export const mutated = (good: Arbitrary<unknown>): Arbitrary<string> =>
  fc
    .record({ value: good, at: fc.nat(), way: fc.nat(5), text: fc.constantFrom(...odd) })
    .map(({ value, at, way, text }) => {
      const paths = pathsIn(value);
      const path = paths[at % paths.length] ?? [];
      const [name, ...inner] = [...path].reverse();
      if (name === undefined) return way < 3 ? text : JSON.stringify([value]);
      const copy = structuredClone(value);
      const parent = inner.reverse().reduce((node, key) => (node as Json)[key] as Json, copy as Json);
      if (way === 0) {
        delete parent[name];
        return JSON.stringify(copy);
      }
      if (way === 1) return written(copy, { parent, name: 'unheard_of' }, text);
      if (way === 2) return written(copy, { parent, name: '__proto__' }, text);
      if (way === 3) return JSON.stringify(copy).replace('{', `{${JSON.stringify(name)}:${text},`);
      return written(copy, { parent, name }, text);
    });

/** Writes `text` unchanged in place of a member, because JSON cannot express every text. */
function written(copy: unknown, { parent, name }: { parent: Json; name: string }, text: string): string {
  Object.defineProperty(parent, name, { value: MARK, enumerable: true, configurable: true });
  return JSON.stringify(copy).replace(JSON.stringify(MARK), () => text);
}

/** Every path from the root to a member. */
function pathsIn(value: unknown): string[][] {
  if (value === null || typeof value !== 'object') return [[]];
  return [[], ...Object.entries(value).flatMap(([key, member]) => pathsIn(member).map((path) => [key, ...path]))];
}

/** A body as bytes, and the headers that describe it. */
export type Written = { bytes: Buffer; headers: Record<string, string> };

const json = 'application/json';
const types = [
  '', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/json, text/plain', 'json',
  'application/json; charset=utf-16', 'application/json; charset=nonsense', 'application/json;charset=utf-8;x="',
  'application/x-www-form-urlencoded', 'application/problem+json', 'APPLICATION/JSON', 'application/json\t', '*/*',
]; // biome-ignore format: a table

const as = (bytes: Buffer | string, headers: Record<string, string> = { 'Content-Type': json }): Written => ({
  bytes: Buffer.from(bytes as string), // as: both kinds are handled
  headers,
});
const zipped = (encoding: string) => ({ 'Content-Type': json, 'Content-Encoding': encoding });
const bomb = gzipSync(' '.repeat(20_000_000));

/** Ways to break a text, each built when it is drawn. */
const breaks: ((text: string) => Written)[] = [
  (text) => as(`\ufeff${text}`),
  (text) => as(`${text}${text}`),
  (text) => as(`${text}\0`),
  (text) => as(`// comment\n${text}`),
  (text) => as(text.replaceAll('"', "'")),
  (text) => as(text.replace('{', '{"a":NaN,')),
  (text) => as(text.replace('{', '{"a":Infinity,')),
  (text) => as(text.replace('{', '{,')),
  (text) => as(`[${text}]`),
  (text) => as(Buffer.concat([Buffer.from(text).subarray(0, -1), Buffer.from([0x22, 0xc3, 0x28, 0x22])])),
  () => as(' '.repeat(BEYOND_LIMIT)),
  () => as(JSON.stringify({ pad: 'x'.repeat(BEYOND_LIMIT) })),
  () => as('['.repeat(100_000)),
  () => as(`{"a":${nested('[', ']', DEEP)}}`),
  () => as(''),
  () => as('null'),
  () => as('"text"'),
  () => as('12'),
  (text) => as(gzipSync(text), zipped('gzip')),
  (text) => as(gzipSync(text).subarray(0, -6), zipped('gzip')),
  (text) => as(text, zipped('gzip')),
  (text) => as(text, zipped('nonsense')),
  (text) => as(text, zipped('deflate, gzip')),
  () => as(bomb, zipped('gzip')),
  ...types.map((type) => (text: string) => as(text, type ? { 'Content-Type': type } : {})),
];

/** Bodies that are not JSON, or JSON with wrong headers. */
export const broken = (text: Arbitrary<string>): Arbitrary<Written> =>
  fc.oneof(
    {
      weight: 1,
      arbitrary: fc.tuple(text, fc.nat()).map(([whole, at]) => as(whole.slice(0, at % (whole.length + 1)))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => as(Buffer.from(bytes))) },
    { weight: 5, arbitrary: fc.tuple(text, fc.constantFrom(...breaks)).map(([whole, make]) => make(whole)) },
  );

const oddPairs = [
  'grant_type=%00', 'client_id=%00', 'client_id=%ff&client_secret=%ff', 'token=%00', 'scope=%00', 'scope=api&scope=*', 'a[b][c]=1',
  '__proto__[admin]=1', '__proto__=1', 'grant_type[]=client_credentials', '&&&=', '%', '%zz=%zz', 'a=b'.repeat(2_000), 'token=%ED%A0%80',
  `client_id=app_1&client_secret=${'x'.repeat(9_000)}`, `${'a=1&'.repeat(3_000)}`, 'grant_type=password&username=a&password=b',
]; // biome-ignore format: a table

/** A form with unexpected pairs, before or after its own. */
export const mutatedForm = (text: Arbitrary<string>): Arbitrary<string> =>
  fc
    .tuple(text, fc.constantFrom(...oddPairs), fc.boolean())
    .map(([good, odd, isFirst]) => (isFirst ? `${odd}&${good}` : `${good}&${odd}`));
