import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** A spelling of a secret: its name, and the text to search for. `folded`: upper and lower case are equal. */
export type Form = { name: string; needle: string; folded: boolean };

/** A text that must not hold a secret, and where it was found. */
export type Haystack = { where: string; text: string };

export type Leak = { where: string; form: string };

/**
 * The possible spellings of a 32-byte key (64 hex digits): as hex, raw, as a number, as a list of bytes,
 * percent-encoded, in both kinds of base64 of the bytes and of its hex, the base64 also as a part of a longer text.
 */
export function formsOf(hex: string): Form[] {
  const bytes = Buffer.from(hex, 'hex');
  const texts = [hex.toLowerCase(), hex.toUpperCase()].map((text) => Buffer.from(text));
  const sources: [string, Buffer][] = [
    ['bytes', bytes],
    ...texts.map((text, n): [string, Buffer] => [n === 0 ? 'lower hex' : 'upper hex', text]),
  ];
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    { name: 'hex', needle: hex.toLowerCase(), folded: true },
    { name: 'percent-encoded bytes', needle: percent, folded: true },
    { name: 'raw', needle: bytes.toString('latin1'), folded: false },
    { name: 'number', needle: BigInt(`0x${hex}`).toString(), folded: false },
    { name: 'list of bytes', needle: [...bytes].join(','), folded: false },
    ...sources.flatMap(([what, source]) => base64Forms(what, source)),
  ];
}

/**
 * The possible spellings of any other secret: unchanged, as hex, percent-encoded, and in both kinds of base64, the
 * base64 also as a part of a longer text. When the text itself encodes bytes, the same spellings of these bytes are
 * included.
 */
export function formsOfText(text: string): Form[] {
  const bytes = Buffer.from(text);
  const encoded = encodeURIComponent(text);
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    { name: 'plain', needle: text, folded: false },
    { name: 'percent-encoded', needle: percent, folded: true },
    ...(encoded === text ? [] : [{ name: 'URL-encoded', needle: encoded.toLowerCase(), folded: true }]),
    ...[bytes, ...writtenIn(text)].flatMap((source, n) => [
      { name: n === 0 ? 'hex' : 'hex of its bytes', needle: source.toString('hex'), folded: true },
      { name: 'list of bytes', needle: [...source].join(','), folded: false },
      ...base64Forms(n === 0 ? 'text' : 'its bytes', source),
    ]),
  ];
}

/** The bytes that a text encodes in base64 or base32, if it does. */
function writtenIn(text: string): Buffer[] {
  if (/^[A-Z2-7]{32}$/.test(text)) return [fromBase32(text)];
  return /^[\w+/-]{43,44}=?$/.test(text) ? [Buffer.from(text, 'base64')] : [];
}

function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Base64 of bytes at any offset in a longer text: the characters shared with neighbouring bytes are cut off. */
function base64Forms(what: string, bytes: Buffer): Form[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const needle = text.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
    const urlSafe = needle.replaceAll('+', '-').replaceAll('/', '_');
    return [
      { name: `base64 of ${what} at ${offset}`, needle, folded: false },
      { name: `base64url of ${what} at ${offset}`, needle: urlSafe, folded: false },
      { name: `URL-encoded base64 of ${what} at ${offset}`, needle: encodeURIComponent(needle), folded: true },
    ].map((form) => (form.folded ? { ...form, needle: form.needle.toLowerCase() } : form));
  });
}

/** The places where any of the spellings appears. */
export function findLeaks(forms: Form[], haystacks: Haystack[]): Leak[] {
  return haystacks.flatMap(({ where, text }) => {
    const folded = text.toLowerCase();
    return forms
      .filter((form) => (form.folded ? folded : text).includes(form.needle))
      .map(({ name }) => ({ where, form: name }));
  });
}

/** Texts of one place joined by a separator that no secret holds: fewer and longer texts are searched faster. */
export const gathered = (haystacks: Haystack[]): Haystack[] =>
  [...Map.groupBy(haystacks, ({ where }) => where)].map(([where, all]) => ({
    where,
    text: all.map(({ text }) => text).join('\n'),
  }));

/**
 * The whole content of a database, value by value: text unchanged, bytes as hex and raw. Includes the dump if this
 * machine has a pg_dump of at least the server's version.
 */
export async function everythingIn(url: string): Promise<Haystack[]> {
  const client = new Client({ connectionString: url, ssl: false });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', table_schema, table_name) as name
      from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
    const held: Haystack[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select * from ${name}`);
      for (const row of rows) held.push(...valuesOf(name, row));
    }
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::integer / 10000 as version`,
    );
    return [...held, ...(await dumped(url, rows[0]?.version ?? 0))];
  } finally {
    await client.end();
  }
}

function valuesOf(table: string, row: Record<string, unknown>): Haystack[] {
  return Object.entries(row).flatMap(([column, value]) => {
    const where = `${table}.${column}`;
    if (!Buffer.isBuffer(value)) return [{ where, text: typeof value === 'string' ? value : JSON.stringify(value) }];
    return (['hex', 'latin1'] as const).map((spelling) => ({ where, text: value.toString(spelling) }));
  });
}

const BINARIES = '/usr/lib/postgresql';

async function dumped(url: string, serverVersion: number): Promise<Haystack[]> {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).map(Number) : [];
  const version = versions.sort((a, b) => b - a).find((known) => known >= serverVersion);
  if (version === undefined) return [];
  const { stdout } = await run(`${BINARIES}/${version}/bin/pg_dump`, [url], { maxBuffer: 1 << 30 });
  return [{ where: 'pg_dump', text: stdout }];
}
