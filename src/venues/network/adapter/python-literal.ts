/** One token of a Python literal: a bracket or separator, a string, or a bare word (a number or a name). */
const TOKEN = /\s*(?:([{}[\](),:])|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{}[\](),:'"]+))/sy;
const NAMES: Record<string, unknown> = { True: true, False: false, None: null };
/** Deeper nesting is no order of the venue. */
const MAX_DEPTH = 20;

/**
 * The value of a Python literal as `str()` prints it: a dictionary, list, tuple, string, number, True, False or None. An object in it, printed as a
 * class name with arguments, becomes null. Undefined for any other text. See venues/network.md#responses.
 */
export function parsePythonLiteral(text: string): unknown {
  const tokens = tokensOf(text);
  if (tokens === null) return undefined;
  try {
    const [value, end] = readValue(tokens, 0, 0);
    return end === tokens.length ? value : undefined;
  } catch (error) {
    if (error instanceof NotALiteral) return undefined;
    throw error;
  }
}

type Token = { mark: string } | { value: unknown };

class NotALiteral extends Error {}

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (match === null) return null;
    const [, mark, single, double, word] = match;
    if (mark !== undefined) tokens.push({ mark });
    else if (word === undefined) tokens.push({ value: unescaped(single ?? double ?? '') });
    else tokens.push({ value: wordOf(word) });
  }
  return tokens;
}

const unescaped = (text: string) => text.replace(/\\(.)/gs, '$1');

/** A name that is no literal stands for nothing that is read, for example a member of an enumeration. */
function wordOf(word: string): unknown {
  if (Object.hasOwn(NAMES, word)) return NAMES[word];
  const number = Number(word);
  return Number.isFinite(number) ? number : null;
}

function readValue(tokens: Token[], at: number, depth: number): [value: unknown, end: number] {
  const token = tokens[at];
  if (token === undefined || depth > MAX_DEPTH) throw new NotALiteral();
  if ('value' in token)
    return isMark(tokens[at + 1], '(') ? [null, afterArguments(tokens, at + 1)] : [token.value, at + 1];
  if (token.mark === '{') return readDictionary(tokens, at + 1, depth);
  if (token.mark === '[') return readSequence(tokens, at + 1, ']', depth);
  if (token.mark === '(') return readSequence(tokens, at + 1, ')', depth);
  throw new NotALiteral();
}

/** The index after the arguments of an object, which are skipped. */
function afterArguments(tokens: Token[], from: number): number {
  for (let [at, open] = [from, 0]; at < tokens.length; at += 1) {
    if (isMark(tokens[at], '(')) open += 1;
    else if (isMark(tokens[at], ')')) open -= 1;
    if (open === 0) return at + 1;
  }
  throw new NotALiteral();
}

function readSequence(tokens: Token[], from: number, closing: string, depth: number): [unknown[], number] {
  const members: unknown[] = [];
  let at = from;
  while (!isMark(tokens[at], closing)) {
    const [member, end] = readValue(tokens, at, depth + 1);
    members.push(member);
    at = afterComma(tokens, end, closing);
  }
  return [members, at + 1];
}

function readDictionary(tokens: Token[], from: number, depth: number): [Record<string, unknown>, number] {
  const members: [string, unknown][] = [];
  let at = from;
  while (!isMark(tokens[at], '}')) {
    const [key, colon] = readValue(tokens, at, depth + 1);
    if (!isMark(tokens[colon], ':')) throw new NotALiteral();
    const [member, end] = readValue(tokens, colon + 1, depth + 1);
    members.push([String(key), member]);
    at = afterComma(tokens, end, '}');
  }
  return [Object.fromEntries(members), at + 1];
}

function afterComma(tokens: Token[], at: number, closing: string): number {
  if (isMark(tokens[at], ',')) return at + 1;
  if (isMark(tokens[at], closing)) return at;
  throw new NotALiteral();
}

const isMark = (token: Token | undefined, mark: string): boolean =>
  token !== undefined && 'mark' in token && token.mark === mark;
