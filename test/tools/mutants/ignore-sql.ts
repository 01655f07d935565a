import type { Ignorer, NodePath } from '@stryker-mutator/api/ignore';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

type Node = { type: string; object?: Node; callee?: Node; name?: string };

/** What is called or read on `name`. */
function isOf(name: string, node: Node | undefined): boolean {
  if (node?.type === 'CallExpression') return isOf(name, node.callee);
  if (node?.type === 'MemberExpression') return isOf(name, node.object);
  return node?.type === 'Identifier' && node.name === name;
}

/** Statements are mutated by their conditions, in sql.ts. */
const isOfSql = (node: Node | undefined) => isOf('sql', node);

const ignoreSql: Ignorer = {
  shouldIgnore(path: NodePath) {
    const { node, parent } = path as unknown as { node: Node; parent: Node & { tag?: Node } }; // as: Babel's path
    if (node.type === 'TemplateLiteral' && isOfSql(parent.tag)) return 'SQL text';
    if (node.type === 'CallExpression' && isOf('z', node)) return 'row type, which only the compiler reads';
    if (node.type === 'CallExpression' && isOfSql(node)) return 'name and row type of a statement';
    return undefined;
  },
};

/** Stryker loads what this file declares. */
export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'sql', ignoreSql)];
