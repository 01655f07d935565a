import { writeFile } from 'node:fs/promises';
import openapiTS, { astToString, COMMENT_HEADER, type OpenAPI3 } from 'openapi-typescript';
import { document, listOperations, type Operation } from '../../src/contract/document.ts';
import { nodeAt } from '../support/samples.ts';

type Schema = { $ref?: string; properties?: Record<string, { default?: unknown }> };

/**
 * The text of src/contract/types.ts: the completed contract from the view of a client, where a member with a default is
 * optional, and `bodyDefaults`, which lists those members for the handlers.
 */
export async function generateTypes(): Promise<string> {
  const contract = structuredClone(document) as unknown as OpenAPI3; // a valid document, as contract.test.ts shows
  const ast = await openapiTS(contract, { defaultNonNullable: false, silent: true });
  return `${COMMENT_HEADER}${astToString(ast)}${bodyDefaults()}`;
}

function bodyDefaults(): string {
  const lines = listOperations()
    .map((operation) => ({ operation, names: defaultsOf(operation) }))
    .filter(({ names }) => names.length > 0)
    .map(({ operation, names }) => `    ${operation.id}: ${names.map((name) => JSON.stringify(name)).join(' | ')};`);
  const comment = '/** Members of a body that the service fills in where the request leaves them out, by operation. */';
  return `${comment}\nexport interface bodyDefaults {\n${lines.join('\n')}\n}\n`;
}

/** Defaults are only at the top level of a body. */
function defaultsOf({ body }: Operation): string[] {
  if (!body) return [];
  const { properties } = resolve(body.pointer);
  return Object.entries(properties ?? {})
    .filter(([, schema]) => 'default' in schema)
    .map(([name]) => name);
}

function resolve(pointer: string): Schema {
  const schema = nodeAt(pointer) as Schema;
  return schema.$ref === undefined ? schema : resolve(schema.$ref.slice(1));
}

if (import.meta.main) await writeFile(new URL('../../src/contract/types.ts', import.meta.url), await generateTypes());
