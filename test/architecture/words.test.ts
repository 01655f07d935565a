import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { errors } from '../../src/kernel/errors.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Words that no name may hold, in any spelling (camelCase, UPPER_CASE, snake_case), and what is used instead. */
const WORDS: Record<string, string> = {
  party: 'upstream',
  parties: 'upstreams',
  refusal: 'ApiError, rejection',
  refusals: 'errors, rejections',
  refuse: 'reject',
  refused: 'rejected',
  refuses: 'rejects',
  told: 'emitted, notified, reported',
  tellable: 'sanitizeError',
  unserved: 'unfulfilled',
  unfit: 'invalid',
  groundless: 'closeRevokedStreams',
  outlet: 'writer',
};

/** Names that may not occur, and what is used instead. */
const NAMES: Record<string, string> = {
  Offer: 'NewIntent',
  Asking: 'RequestContext',
  carryOut: 'executeIntent',
  Carrier: 'ExecutionContext',
  doubt: 'markInDoubt',
  lookUp: 'reconcileIntent',
  tell: 'emit, notify, log',
  telling: 'notifying',
  toldError: 'serializeError',
  tellEnding: 'notifySettled',
  goneFor: 'reversalReason',
  userSeed: 'userSealContext',
  adminSeed: 'adminSealContext',
  networkKey: 'networkKeySealContext',
  mailSecret: 'mailSealContext',
  NEVER_FULL: 'POOL_HEADROOM',
  bury: 'reap',
  rouseEndpoint: 'dispatchEndpoint',
  knock: 'tryConnect',
  disownStrangers: 'clearStaleLocks',
  hiding: 'sealedResult',
  findHidden: 'findSealed',
  stillTrades: 'isTradeable',
  brokenByNetworkOrder: 'findNetworkViolation',
  brokenByExchangeOrder: 'findExchangeViolation',
  must: 'requireFound',
  askAgain: 'replay',
  keptAnswer: 'idempotentResponse',
  KeptAnswer: 'IdempotentResponse',
  giveUp: 'abandon',
  giveUpAccount: 'abandonAccount',
  findSpokenFor: 'sumReservedCents',
  endGroundless: 'closeRevokedStreams',
  asRecorded: 'asStoredFailure',
  mine: "the owner's name",
  marks: 'hmacs',
};

/** Names that stay, and why. */
const ALLOWED: Record<string, string> = {
  V1_PAYMENT_REFUSED: 'an error code of the contract',
  V2_RERUN_REFUSED: 'an error code of the contract',
  V1_PAYMENT_TERMS_UNFIT: 'an error code of the contract',
  refused_for_form: 'a stored slug',
  listUnservedPayments: 'an operationId of the contract',
  unserved_payments: 'a member of the contract',
  told_ago_ms: 'a column alias of SQL',
  told: 'a column alias of SQL in test/sql',
};

/** Names of SQL: columns, functions and tables. */
const SQL =
  /\b(asked|doubt_intent|looks|looked_at|told_at|tries|kept_answers|unserved_payments|bury_dead_workers|rouse_endpoint|give_up_account|given_up_\w+)\b/g;

/** Phrases that no error title, log message or exception text holds. */
const PHRASES =
  /\b(refus\w+|part(y|ies)|told|tells?|doubtful|no such|there is nothing|rests no longer|stopped badly|broke off|do not fit|for good|nobody)\b/i;

describe('words', () => {
  it('of the glossary stand in every name', async () => {
    const found = (await files('{src,workers,test}/**/*.{ts,js}')).flatMap(({ path, text }) =>
      namesOf(path, text)
        .filter((name) => !(name in ALLOWED) && (name in NAMES || wordsOf(name).some((word) => word in WORDS)))
        .map((name) => `${path}: ${name}`),
    );

    expect([...new Set(found)]).to.deep.equal([]);
  });

  it('of the glossary stand in every error title', () => {
    const titles = Object.values(errors).map(([, title]) => title);

    expect(titles.filter((title) => PHRASES.test(title))).to.deep.equal([]);
  });

  it('of the glossary stand in every log message', async () => {
    const found = (await files('{src,workers}/**/*.ts')).flatMap(({ text }) =>
      [...text.matchAll(/\blog\.(?:debug|info|warn|error|fatal)\([^;]*?'([^']*)'\)/g)].map(
        ([, message = '']) => message,
      ),
    );

    expect(found.filter((message) => PHRASES.test(message))).to.deep.equal([]);
  });

  it('of the glossary stand in every name of SQL', async () => {
    const definitions = (await files('sql/**/*.sql')).map(({ path, text }) => ({ path, text: withoutProse(text) }));
    const statements = (await files('{src,workers}/**/*.ts')).map(({ path, text }) => ({
      path,
      text: templatesOf(path, text)
        .filter((template) => /\b(select|insert|update|delete)\b/.test(template))
        .join('\n'),
    }));

    const found = [...definitions, ...statements].flatMap(({ path, text }) =>
      [...text.matchAll(SQL)].map(([name]) => `${path}: ${name}`),
    );

    expect([...new Set(found)]).to.deep.equal([]);
  });
});

/** A SQL file without its comments and the texts it holds. */
const withoutProse = (sql: string) => sql.replace(/--.*/g, '').replace(/'(?:[^']|'')*'/g, "''");

function templatesOf(path: string, text: string): string[] {
  const templates: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateLiteralToken(node)) templates.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return templates;
}

async function files(pattern: string): Promise<{ path: string; text: string }[]> {
  const paths = await Array.fromAsync(glob(pattern, { cwd: root }));
  const checked = paths.filter((path) => path !== 'src/contract/types.ts' && !path.endsWith('words.test.ts'));
  return Promise.all(checked.sort().map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

/** The words of a name, in lower case. */
const wordsOf = (name: string) => name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());

function namesOf(path: string, text: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return names;
}
