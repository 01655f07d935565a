import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Identifiers that may not come back, and what is used instead. A participle as a noun says nothing of what it holds. */
const BANNED: Record<string, string> = {
  Held: 'Claim, OpenPosition, StoredToken',
  Shown: 'VisibleResult, RecordedMembers: a noun of its own',
  Wanted: 'Filter, Query, Terms',
  Noted: 'OrderUpdate',
  Known: 'CachedResult, KnownTrader',
  Given: 'Input, Credentials, Options',
  Sent: 'SentRequest',
  Kept: 'Reply, KeptDefinition',
  Asked: 'Demand, OrderBody',
  Told: 'EventBody',
  Asking: 'RequestContext',
  Carrier: 'ExecutionContext',
  Spine: 'IntentDatabase',
  Hand: 'DbSession',
  readHeld: 'readOpenPosition',
  heldQuantity: 'openQuantity',
  noteOrder: 'recordOrderUpdate',
  asShown: 'fromRecords',
  carryOut: 'executeIntent',
  stillTrades: 'isTradeable',
  askAgain: 'replay',
  giveUp: 'abandon',
  tellEnding: 'notifySettled',
  toldError: 'serializeError',
  abouts: 'payloads',
  hand_slots: 'assign_slots',
  take_slot: 'claim_slot',
  note_partner_verb: 'the last call of the statement',
  bury_dead_workers: 'reap_dead_workers',
  upstream_of: 'intent_kinds.upstream',
};

/** Files whose names were such participles. */
const BANNED_FILES = ['shown', 'noted', 'held', 'hidden', 'placing', 'closing', 'behind', 'spine', 'verb'];
const KEPT_FILES = ['test/api/behind.test.ts', 'test/architecture/changes/verb.ts'];

/** Files of the project; packages of `test/tools` may be installed. */
const OWN = { cwd: root, exclude: ['**/node_modules/**'] };

const wordsOf = (text: string) => new Set(text.match(/[A-Za-z_]\w*/g));

describe('words', () => {
  it('that were replaced stay replaced, in code and SQL', async () => {
    const paths = await Array.fromAsync(glob('{src,workers,test,sql}/**/*.{ts,sql}', OWN));
    const files = paths.filter((path) => !/contract\/types\.ts$|architecture\/words\.test\.ts$/.test(path));
    const found = await Promise.all(
      files.map(async (path) => {
        const words = wordsOf(codeOf(await readFile(join(root, path), 'utf8'), path));
        return Object.keys(BANNED).flatMap((word) => (words.has(word) ? `${path}: ${word}, not ${BANNED[word]}` : []));
      }),
    );

    expect(found.flat()).to.deep.equal([]);
  });

  it('name no file that holds something else', async () => {
    const paths = await Array.fromAsync(glob('{src,workers,test}/**/*.ts', OWN));
    const isBanned = (path: string) => BANNED_FILES.includes(path.split('/').at(-1)?.split('.')[0] ?? '');

    expect(paths.filter((path) => isBanned(path) && !KEPT_FILES.includes(path))).to.deep.equal([]);
  });
});

/** A text without comments and strings, where a word is a word of the language. */
const codeOf = (text: string, path: string): string =>
  path.endsWith('.sql')
    ? text.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
    : text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
