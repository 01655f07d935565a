import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { document, listOperations } from '../../src/contract/document.ts';
import { servedContract } from '../../src/edge/docs/served-contract.ts';

type Json = Record<string, unknown>;
const served = servedContract();
const schemas = (served.components as { schemas: Record<string, Json> }).schemas;

/** Every node under another, with its path. */
function* nodesUnder(node: unknown, path: string[] = []): Generator<{ path: string[]; node: Json }> {
  if (typeof node !== 'object' || node === null) return;
  yield { path, node: node as Json };
  for (const [key, value] of Object.entries(node)) yield* nodesUnder(value, [...path, key]);
}

/** Whether a path leads to a schema, not into an example or another value. */
const isSchema = (path: string[]) =>
  !path.some((key, n) => ['example', 'examples', 'default', 'enum'].includes(key) && path[n - 1] !== 'properties');

/** Keywords of a schema whose value is a schema, and those whose value is a map or a list of schemas. */
const SINGLE = ['not', 'if', 'then', 'else', 'items'];
const SEVERAL = ['properties', 'allOf', 'anyOf', 'oneOf'];

describe('the served contract, for generators of clients', () => {
  const nodes = [...nodesUnder(served)];

  it('has no schema that is only true or false', () => {
    const boolean = [...nodes, ...nodesUnder(document)].flatMap(({ path, node }) => {
      const under = [...SINGLE.map((key) => node[key]), ...SEVERAL.flatMap((key) => Object.values(Object(node[key])))];
      return under.some((value) => typeof value === 'boolean') ? [path.join('/')] : [];
    });

    expect(boolean).to.deep.equal([]);
  });

  it('refers to named components only', () => {
    const refs = nodes.flatMap(({ node: { $ref } }) => (typeof $ref === 'string' ? [$ref] : []));

    expect(refs.filter((ref) => !/^#\/components\/\w+\/\w+$/.test(ref))).to.deep.equal([]);
  });

  it('has no two components of a kind whose names differ by case only', () => {
    for (const kind of Object.values(served.components as Record<string, object>)) {
      const names = Object.keys(kind).map((name) => name.toLowerCase());
      expect(names.filter((name, n) => names.indexOf(name) !== n)).to.deep.equal([]);
    }
  });

  it('has no operation and schema whose names differ by case only: generators name types after both', () => {
    const types = [...Object.keys(schemas), ...listOperations().map(({ id }) => id[0]?.toUpperCase() + id.slice(1))];
    const others = new Map(types.map((name) => [name.toLowerCase(), name]));

    expect(types.filter((name) => others.get(name.toLowerCase()) !== name)).to.deep.equal([]);
  });

  it('says the type of every enum and constant, with null as a variant of its own', () => {
    const values = nodes.filter(({ path, node }) => isSchema(path) && (Array.isArray(node.enum) || 'const' in node));
    const untyped = values.filter(({ node }) => !['string', 'number', 'boolean'].includes(String(node.type)));

    expect(values).to.have.length.above(50);
    expect(untyped.map(({ path }) => path.join('/'))).to.deep.equal([]);
  });

  it('says the type wherever it says a format', () => {
    const bare = nodes.filter(({ path, node }) => isSchema(path) && 'format' in node && node.type === undefined);

    expect(bare.map(({ path }) => path.join('/'))).to.deep.equal([]);
  });

  it('composes no object of its members and of conditions: some generators forget the one, some read any', () => {
    const mixed = nodes.filter(
      ({ path, node }) => isSchema(path) && node.properties && (node.allOf ?? node.anyOf ?? node.oneOf),
    );

    expect(mixed.map(({ path }) => path.join('/'))).to.deep.equal([]);
  });

  it('keeps the conditions of an order', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const check = ajv.addSchema(served, 'contract').getSchema('contract#/components/schemas/NetvenueOrderRequest');
    const order = { trade_pair: 'BTCUSDC', order_type: 'LONG' };
    const verdict = (more: object) => check?.({ ...order, ...more });

    expect([{ leverage: 0.1 }, { execution_type: 'LIMIT', limit_price: 1, value: 5 }].map(verdict)).to.deep.equal([
      true,
      true,
    ]);
    const wrong = [{}, { leverage: 0.1, value: 5 }, { execution_type: 'LIMIT', value: 5 }, { leverage: 1, other: 1 }];
    expect(wrong.map(verdict)).to.deep.equal(wrong.map(() => false));
  });

  it('has no default on an optional member: generators take such a member for one that is always sent', () => {
    const members = Object.entries(schemas).flatMap(([name, { properties, required = [] }]) =>
      Object.entries(Object(properties) as Record<string, Json>).flatMap(([member, schema]) =>
        'default' in schema && !(required as string[]).includes(member) ? [`${name}.${member}`] : [],
      ),
    );

    expect(members).to.deep.equal([]);
  });

  it('is written without merge keys, which YAML 1.2 does not have', async () => {
    const written = await readFile(new URL('../../src/contract/openapi.yaml', import.meta.url), 'utf8');

    expect(written).not.to.match(/<<:/);
  });

  it('gives decimals as one string pattern in responses, and takes the named union only in requests', () => {
    const inResponses = reachable(nodes.filter(({ path }) => path.includes('responses')).map(({ node }) => node));

    expect(schemas.Decimal).to.include({ type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' });
    expect(schemas.DecimalInput).to.have.property('anyOf');
    expect([...inResponses])
      .to.include('Decimal')
      .and.not.to.include('DecimalInput');
  });
});

/** The names of the schemas that nodes refer to, at any depth. */
function reachable(nodes: unknown[]): Set<string> {
  const found = new Set<string>();
  const follow = (node: unknown): void => {
    for (const {
      node: { $ref },
    } of nodesUnder(node)) {
      const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
      if (name === undefined || found.has(name) || !schemas[name]) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  for (const node of nodes) follow(node);
  return found;
}
