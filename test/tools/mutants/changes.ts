import ts from 'typescript';

const OWNER =
  'owner|app|app_id|user_id|partner_id|admin_id|session_id|trader|ex_address|ex_wallet|account|address|scope|email|digest|caller|requested_by';
const LIFE =
  'revoked_at|used_at|superseded_at|verified_at|disabled_at|retired_at|detached_at|totp_enabled_at|totp_enrolled_at|invitation_expires_at|expires_at|seen_at|attempts_left|totp_step|active';
/** What stands before a condition, so that assignments are left alone. */
const BEFORE = String.raw`(?<=\b(?:where|and|on|when) \(?|fragment\`)`;
const VALUE = String.raw`(?:any\(\$\{.*?\}\)|\$\{[^}]*(?:\([^}]*\))?[^}]*\}|[\w.]+(?: ->> '\w+')?)`;
const CONDITIONS = [
  new RegExp(String.raw`${BEFORE}(?:\w+\.)?(?:${OWNER}) (?:=|<>) ${VALUE}`, 'g'),
  new RegExp(
    String.raw`${BEFORE}(?:\w+\.)?(?:${LIFE}) (?:is (?:not )?null|[<>]=? (?:now\(\)(?: - (?:interval '[^']+'|make_interval\([^)]*\)))?|${VALUE}))`,
    'g',
  ),
];

const PARENTHESES = String.raw`\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`;
/** Words of SQL, and what stands for them: another direction, another extreme, no lock, a digest without one of its members. */
const WORDS: [pattern: RegExp, to: (text: string) => string][] = [
  [/(?<=\s)[<>]=?(?=\s)/g, (text) => (text.startsWith('<') ? text.replace('<', '>') : text.replace('>', '<'))],
  [/\b(?:least|greatest)(?=\()/g, (text) => (text === 'least' ? 'greatest' : 'least')],
  [/\bfor (?:no key )?(?:update|share)\b(?: of \w+)?(?: skip locked)?/g, () => ''],
  [new RegExp(String.raw`\bpg_advisory_xact_lock(?:_shared)?${PARENTHESES}`, 'g'), () => '1'],
  [new RegExp(String.raw`\bpg_try_advisory_xact_lock${PARENTHESES}`, 'g'), () => 'true'],
  [new RegExp(String.raw`\|\| netstring${PARENTHESES}`, 'g'), () => ''],
  [/(?<=sha256\(convert_to\(format\('[^']*'(?:, \w+)*, )\w+/g, () => `''`],
];

/** Functions that make a digest of all their arguments. */
const DIGESTS = new Set(['requestDigest', 'digest', 'hash', 'hmac']);

/** A change of a file: what is replaced by `to`, where it begins, the statement or function it is in, and a description. */
export type Change = { text: string; to: string; at: number; line: number; of: string; what: string };

/** A part of TypeScript that changes as a whole: a statement of SQL, or a member of a digest. */
type Site = { from: number; end: number; changes: (Change & { id: string })[] };

const NAMES = /(?:prepared\([^'"`]*['"`]|const |function )(\w+)/g;
const nameBefore = (source: string) => [...source.matchAll(NAMES)].at(-1)?.[1] ?? '';

function changeOf(source: string, { text, at, to }: Pick<Change, 'text' | 'at' | 'to'>): Change {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  const around = `${(source.split('\n')[line - 1] ?? '').trim()}`;
  const what = to === 'true' ? text : `${text} → ${to || 'nothing'}: ${around}`;
  return { text, to, at, line, of: nameBefore(before), what };
}

/**
 * The changes of a file. Of SQL, in TypeScript too: conditions on owners and on the life of credentials are left out, comparisons
 * turned round, least and greatest exchanged, locks not taken. Of digests: one member is left out. Comments have none.
 */
export function listChanges(file: string, source: string): Change[] {
  const parts = file.endsWith('.sql') ? [{ from: 0, end: source.length }] : textsOf(source);
  const plain = source.replaceAll(/--.*/g, (comment) => ' '.repeat(comment.length));
  const found = [
    ...CONDITIONS.flatMap((pattern) => [...plain.matchAll(pattern)]).map(({ 0: text, index }) => ({
      text,
      at: index,
      to: 'true',
    })),
    ...parts.flatMap(({ from, end }) =>
      WORDS.flatMap(([pattern, to]) =>
        [...plain.slice(from, end).matchAll(pattern)].map(({ 0: text, index }) => ({
          text,
          at: from + index,
          to: to(text),
        })),
      ),
    ),
    ...(file.endsWith('.ts') ? membersOf(source) : []),
  ];
  return found.map((each) => changeOf(source, each)).sort((a, b) => a.at - b.at);
}

/** The source with one change. */
export const changed = (source: string, { at, text, to }: Pick<Change, 'at' | 'text' | 'to'>): string =>
  source.slice(0, at) + to + source.slice(at + text.length);

/** Notes for Stryker's global which test executes the place, and says whether the change is the active mutant. */
const SWITCH = `
function isChanged(id) {
  const context = (globalThis.__stryker__ ??= {});
  const { static: whileLoading, perTest } = (context.mutantCoverage ??= { static: {}, perTest: {} });
  const executed = context.currentTestId ? (perTest[context.currentTestId] ??= {}) : whileLoading;
  executed[id] = 1;
  return context.activeMutant === id;
}
`;

/** The source of TypeScript in which each change applies while its mutant is active. */
export function switchable(source: string, changes: (Change & { id: string })[]): string {
  const sites: Site[] = [];
  for (const change of changes) {
    const { from, end } = siteOf(source, change);
    const site = sites.find((each) => each.from === from && each.end === end);
    if (site) site.changes.push(change);
    else sites.push({ from, end, changes: [change] });
  }
  return render(source, sites, { from: 0, end: source.length }) + SWITCH;
}

type Range = { from: number; end: number };

/** A part of the source, in which every outermost site is a choice between its changes and itself. */
function render(source: string, sites: Site[], { from, end }: Range): string {
  const inside = sites.filter((site) => site.from >= from && site.end <= end);
  const outer = inside.filter((site) => !inside.some((other) => other !== site && contains(other, site)));
  return outer
    .toSorted((a, b) => b.from - a.from)
    .reduce(
      (text, site) => {
        const within = inside.filter((each) => each !== site && contains(site, each));
        const itself = render(source, within, site);
        const choices = site.changes.map(
          (change) =>
            `isChanged('${change.id}') ? ${changed(source.slice(site.from, site.end), { ...change, at: change.at - site.from })} : `,
        );
        return `${text.slice(0, site.from - from)}(${choices.join('')}${itself})${text.slice(site.end - from)}`;
      },
      source.slice(from, end),
    );
}

const contains = (outer: Range, inner: Range) => outer.from <= inner.from && inner.end <= outer.end;

/** The innermost statement or member that a change is in. */
function siteOf(source: string, { at, text }: Change): Range {
  const range = { from: at, end: at + text.length };
  const found = [
    ...statementsOf(source),
    ...membersOf(source).map((each) => ({ from: each.at, end: each.at + each.text.length })),
  ]
    .filter((each) => contains(each, range))
    .sort((a, b) => a.end - a.from - (b.end - b.from))[0];
  if (!found) throw new Error(`No statement around ${text}`);
  return found;
}

function visit(source: string, see: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    see(node);
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
}

const isOfSql = (node: ts.Node): node is ts.TaggedTemplateExpression =>
  ts.isTaggedTemplateExpression(node) && node.tag.getText().startsWith('sql.');

function statementsOf(source: string): Range[] {
  const found: Range[] = [];
  visit(source, (node) => {
    if (isOfSql(node)) found.push({ from: node.getStart(), end: node.end });
  });
  return found;
}

/** The text of SQL in TypeScript, without what is inserted. */
function textsOf(source: string): Range[] {
  const found: Range[] = [];
  visit(source, (node) => {
    if (!isOfSql(node)) return;
    const { template } = node;
    const parts = ts.isTemplateExpression(template)
      ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
      : [template];
    found.push(...parts.map((part) => ({ from: part.getStart() + 1, end: part.end - 1 })));
  });
  return found;
}

/** What goes into digests: arguments, parts of texts and entries of lists, without names and texts that are constant. */
function membersOf(source: string): Pick<Change, 'text' | 'at' | 'to'>[] {
  const found: Pick<Change, 'text' | 'at' | 'to'>[] = [];
  const replace = (node: ts.Node, to: string) => found.push({ text: node.getText(), at: node.getStart(), to });
  const add = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node)) for (const { expression } of node.templateSpans) add(expression);
    else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(add);
    else if (ts.isCallExpression(node) && node.expression.getText() === 'JSON.stringify') node.arguments.forEach(add);
    else if (ts.isSpreadElement(node)) replace(node.expression, '[]');
    else if (!ts.isLiteralExpression(node)) replace(node, `''`);
  };
  visit(source, (node) => {
    if (!ts.isCallExpression(node) || !DIGESTS.has(node.expression.getText())) return;
    const isAlone = node.arguments.length === 1 && ts.isIdentifier(node.arguments[0] as ts.Node);
    if (!isAlone) node.arguments.forEach(add);
  });
  return found;
}
