import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { nodeAt } from '../support/samples.ts';

type Node = Record<string, unknown>;
type Found = { at: string; description: unknown };

const APPLIED = ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'items'];

/** Schemas of the exchange alone, which has no currency pairs. */
const AT_THE_EXCHANGE = [
  'SubmitOrderRequest',
  'OrderFill',
  'OrderExit',
  'PartnerPositionEvent',
  'PositionFill',
  'PartnerExitEvent',
  'PartnerLiquidationEvent',
  'PartnerFundingEvent',
];

describe('the descriptions of the contract', () => {
  const components = document.components as Record<string, Record<string, Node>>;

  it('describe every tag', () => {
    expect(bare((document.tags as Node[]).map((tag) => entry(`tag ${tag.name}`, tag)))).to.deep.equal([]);
  });

  it('describe every schema', () => {
    const schemas = Object.entries(components.schemas ?? {}).map(([name, schema]) => entry(name, schema));

    expect(bare(schemas)).to.deep.equal([]);
  });

  it('describe every property, including those of inline bodies and responses', () => {
    const found = Object.entries(components.schemas ?? {}).flatMap(([name, schema]) => properties(name, schema));
    const inline = schemasIn('paths', document.paths).flatMap(([at, schema]) => properties(at, schema));

    expect(found.length).to.be.above(500);
    expect(bare([...found, ...inline])).to.deep.equal([]);
  });

  it('describe every parameter, header and security scheme', () => {
    const kinds = ['parameters', 'headers', 'securitySchemes'];
    const named = kinds.flatMap((kind) => Object.entries(components[kind] ?? {}).map(([name, it]) => entry(name, it)));
    const inline = operations().flatMap(([id, { parameters = [] }]) =>
      (parameters as Node[])
        .filter(({ $ref }) => !$ref)
        .map((parameter) => entry(`${id} ${parameter.name}`, parameter)),
    );

    expect(bare([...named, ...inline])).to.deep.equal([]);
  });

  it('name every check of readiness where the operation is described, as the guide for operators does', async () => {
    const checks = nodeAt('/components/schemas/ErrorDetails/properties/checks/items/enum') as string[];
    const description = nodeAt('/paths/~1readyz/get/description');
    const guide = await readFile(new URL('../../src/docs/operating.md', import.meta.url), 'utf8');

    for (const text of [String(description), guide])
      expect(checks.filter((check) => !text.includes(`\`${check}\``))).to.deep.equal([]);
  });

  it('say of every size at the network in what a currency pair is counted', () => {
    const found = Object.entries(components.schemas ?? {})
      .filter(([name]) => !AT_THE_EXCHANGE.includes(name))
      .flatMap(([name, schema]) => properties(name, schema));
    const sizes = found.filter(({ description }) => / units of the asset|, coins or shares/.test(String(description)));

    expect(sizes.length).to.be.above(10);
    expect(sizes.filter(({ description }) => !/\blots\b/.test(String(description))).map(({ at }) => at)).to.deep.equal(
      [],
    );
  });

  it('list, for each operation that ends sessions, everything made in them that ends too, as the guide does', async () => {
    const made = ['trader keys', 'payout account', 'payouts', 'verification', 'authenticator'];
    const named = new Map(operations().map(([id, { description }]) => [id, String(description)]));
    const guide = await readFile(new URL('../../src/docs/security.md', import.meta.url), 'utf8');
    const said = guide.split('\n* ').find((point) => point.startsWith('What outlives the session'));

    for (const text of [
      said,
      ...['confirmPasswordReset', 'revokeUserSession', 'endUserSessions'].map((id) => named.get(id)),
    ])
      expect(made.filter((what) => !text?.includes(what))).to.deep.equal([]);
  });

  it('describe every operation', () => {
    expect(bare(operations().map(([id, operation]) => entry(id, operation)))).to.deep.equal([]);
  });
});

const entry = (at: string, { description }: Node): Found => ({ at, description });

/** Places with a description of less than two words or none. */
const bare = (found: Found[]) =>
  found.filter(({ description }) => !/\S\s+\S/.test(String(description ?? ''))).map(({ at }) => at);

const operations = () =>
  Object.values(document.paths as Record<string, Record<string, Node>>)
    .flatMap((item) => Object.values(item))
    .map((operation) => [String(operation.operationId), operation] as const);

/** The properties of a schema, at any depth. Those of a condition (`if`, `then`, …) are references to others. */
function properties(at: string, schema: unknown, isCondition = false): Found[] {
  if (Array.isArray(schema)) return schema.flatMap((member, n) => properties(`${at}/${n}`, member, isCondition));
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as Node;
  const fixture = Object.entries((node.properties ?? {}) as Record<string, Node>);
  const isNamed = !isCondition && node.type !== undefined;
  return [
    ...fixture.filter(() => isNamed).map(([name, property]) => entry(`${at}.${name}`, property)),
    ...fixture.flatMap(([name, property]) => properties(`${at}.${name}`, property, isCondition)),
    ...APPLIED.flatMap((keyword) =>
      properties(`${at}/${keyword}`, node[keyword], isCondition || ['not', 'if', 'then', 'else'].includes(keyword)),
    ),
  ];
}

/** Every inline schema under a node that is not itself one. */
function schemasIn(at: string, node: unknown): [string, unknown][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'schema' ? [[at, value] as [string, unknown]] : schemasIn(`${at}/${key}`, value),
  );
}
