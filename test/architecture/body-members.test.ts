import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { listOperations, nodeAt } from '../../src/contract/document.ts';

type Schema = { $ref?: string; properties?: object; allOf?: Schema[]; anyOf?: Schema[]; oneOf?: Schema[] };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What handles a write. What only reads may know a member that nothing has stored. */
const SOURCES = ['src/{capabilities,venues}/**/!(queries|read-model).ts', 'sql/functions/**/*.sql'];
const COMMENTS = /--.*$|\/\*[\s\S]*?\*\/|\/\/.*$/gm;
/** Where an operation has its handler: one of its own, or another one's under its name. */
const NAMING = /(?:Handler|Shared)<'(\w+)'|(?<=export \{[^}]*) as (\w+),/g;
/** The function of SQL that an acceptance hands an intent to, with all that was asked for. */
const ACCEPTANCES = /(\w+): (?:\w+\()?acceptance\(db, '(\w+)'\)/g;
/** Taken for the sake of a standard (RFC 7009), and what the processor's adapter reads from the bytes that are signed. */
const READ_ELSEWHERE = ['revokeAccessToken token_type_hint', 'takeProcessorNotification data'];

/** Writes whose body is handed whole to the function of SQL that writes the row of it. */
const HANDED_WHOLE: Record<string, string> = { checkOut: 'accept_checkouts', openFreeAccount: 'accept_free_accounts' };

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

/** The members of a body, nested ones left out. */
function membersOf(schema: Schema): string[] {
  if (schema.$ref) return membersOf(nodeAt(schema.$ref.slice(1)) as Schema);
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...Object.keys(schema.properties ?? {}), ...parts.flatMap(membersOf)];
}

/** By operation, the words of its handler's file, of what that imports of capabilities and venues, and of the SQL functions that these name. */
async function wordsOfHandlers(): Promise<Map<string, Set<string>>> {
  const texts = new Map<string, string>();
  for await (const file of glob(SOURCES, { cwd: ROOT })) texts.set(file, (await read(file)).replaceAll(COMMENTS, ''));
  const functions = new Map([...texts.keys()].map((file) => [path.basename(file, '.sql'), file]));
  for (const [, name = '', of = ''] of (await read('src/runtime/web.ts')).matchAll(ACCEPTANCES))
    functions.set(name, functions.get(of) ?? '');
  const words = (file: string) => new Set(texts.get(file)?.match(/\w+/g));
  const imports = (file: string) =>
    [...(texts.get(file) ?? '').matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => path.join(path.dirname(file), to));

  const wordsFrom = (handler: string) => {
    const files = new Set([handler]);
    for (const file of files) for (const to of imports(file)) if (texts.has(to)) files.add(to); // read as it grows
    const own = new Set([...files].flatMap((file) => [...words(file)]));
    return own.union(new Set([...own].flatMap((name) => [...words(functions.get(name) ?? '')])));
  };
  const handlers = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(NAMING)].map(([, own, renamed]) => [own ?? renamed ?? '', file] as const),
  );
  return new Map(handlers.map(([id, file]) => [id, wordsFrom(file)]));
}

describe('what a write of the contract takes', () => {
  it('is named by its handler: a forgotten member would be accepted and silently lost', async () => {
    const words = await wordsOfHandlers();
    const taken = listOperations().flatMap(({ id, body }) =>
      body ? membersOf(nodeAt(body.pointer) as Schema).map((member) => ({ id, member })) : [],
    );

    const lost = taken.filter(({ id, member }) => !words.get(id)?.has(member));
    expect(lost.map(({ id, member }) => `${id} ${member}`)).to.deep.equal(READ_ELSEWHERE);
    expect(taken.length).to.be.above(250);
    for (const { id } of taken) expect(words.get(id), id).not.to.include('of_nobody');
  });

  it('is named by the SQL function that gets the whole body', async () => {
    const bodies = listOperations().flatMap(({ id, body }) => (body && HANDED_WHOLE[id] ? [{ id, body }] : []));
    const handing = await Array.fromAsync(glob('src/{capabilities,venues}/**/intents.ts', { cwd: ROOT }), read);

    expect(handing.filter((text) => text.includes('...wanted,'))).to.have.length(bodies.length);
    for (const { id, body } of bodies) {
      const [file = ''] = await Array.fromAsync(glob(`sql/functions/*/${HANDED_WHOLE[id]}.sql`, { cwd: ROOT }));
      const text = (await read(file)).replaceAll(COMMENTS, '');
      for (const member of membersOf(nodeAt(body.pointer) as Schema))
        expect(text, id).to.match(new RegExp(`\\b${member}\\b`));
    }
  });
});
