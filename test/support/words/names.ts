import ts from 'typescript';

/** What a source in TypeScript or JavaScript contains. */
type Contents = {
  identifiers: string[];
  /** String literals that look like a name: task names, kinds, verdicts, slugs, keys. */
  slugs: string[];
  /** Literals and templates of more than one word. */
  texts: string[];
  /** What a tag of slonik builds, fragments included, and every other literal that is a statement. */
  sql: string;
};

/** The contents of a source, read in one pass. */
export function contentsOf(path: string, text: string): Contents {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const [identifiers, literals, sql]: [string[], string[], string[]] = [[], [], []];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) identifiers.push(node.text);
    else if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) literals.push(node.text);
    if (ts.isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText(source)))
      sql.push(...tokensOf(node.template));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return {
    identifiers,
    slugs: literals.filter((literal) => SLUG.test(literal)),
    texts: literals.filter((literal) => SPACED.test(literal) && !STATEMENT.test(literal)),
    sql: [...sql, ...literals.filter((literal) => STATEMENT.test(literal))].join('\n'),
  };
}

const STATEMENT = /^\s*(select|insert|update|delete|with|from|join|create|alter)\b[^.?!]/;

function tokensOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text];
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
}

/** Every name in SQL: tables, columns, functions, parameters, aliases. */
export const namesInSql = (sql: string): string[] =>
  sql
    .replace(/--.*/g, '')
    .replace(LITERAL, "''")
    .match(/\b[a-z_][a-z0-9_]*\b/g) ?? [];

/** The literals of SQL that look like a name: verdicts, states, task names, markers. */
export const slugsInSql = (sql: string): string[] => literalsOf(sql).filter((literal) => SLUG.test(literal));

/** The texts in SQL: reasons, comments on objects, exceptions. */
export const textsInSql = (sql: string): string[] => literalsOf(sql).filter((literal) => SPACED.test(literal));

/** The prose of a file, line by line: a guide without code, or the comments of a source. */
export function proseIn(path: string, text: string): string[] {
  if (path.endsWith('.md')) return withoutCode(text).split('\n');
  const lines = text.split('\n').map((line) => COMMENT.exec(line)?.[1] ?? '');
  return lines.map(withoutCode);
}

const COMMENT = /(?:^|\s)(?:\/?\*+|\/\/|--)\s(.*)/;
const withoutCode = (text: string) => text.replace(/```.*?```/gs, '').replace(/`[^`\n]*`/g, '');

/** The names of the folders and files on a path. */
export const fileNamesOf = (path: string): string[] => path.split('/').map((name) => name.replace(/\..*/, ''));

const SLUG = /^[a-zA-Z][a-zA-Z0-9]*([._:/-][a-zA-Z0-9]+)*$/;
const SPACED = /\S \S/;
const LITERAL = /'(?:[^']|'')*'/g;

const literalsOf = (sql: string): string[] =>
  (sql.replace(/--.*/g, '').match(LITERAL) ?? []).map((literal) => literal.slice(1, -1));
