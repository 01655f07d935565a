import type { Ignorer, NodePath } from '@stryker-mutator/api/ignore';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

type Node = { type: string; object?: Node; callee?: Node; name?: string };

/** `sql`, or what is called or read on it: statements are mutated by their conditions, in sql.ts. */
function isOfSql(node: Node | undefined): boolean {
  if (node?.type === 'CallExpression') return isOfSql(node.callee);
  if (node?.type === 'MemberExpression') return isOfSql(node.object);
  return node?.type === 'Identifier' && node.name === 'sql';
}

const ignoreSql: Ignorer = {
  shouldIgnore(path: NodePath) {
    const { node, parent } = path as unknown as { node: Node; parent: Node & { tag?: Node } }; // as: Babel's path
    if (node.type === 'TemplateLiteral' && isOfSql(parent.tag)) return 'SQL text';
    if (node.type === 'CallExpression' && isOfSql(node)) return 'name and row type of a statement';
    return undefined;
  },
};

/** Stryker loads what this file declares. */
export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'sql', ignoreSql)];
