import { escaped } from '../../kernel/html.ts';
import { inline } from './markup.ts';

export type Json = Record<string, unknown>;
/** One row of a table of fields; `type` is HTML. */
type Field = { name: string; type: string; isRequired: boolean; description: string };

/** A table of fields that scrolls by itself if it is wide. */
export const fieldTable = (label: string, fields: Field[]): string =>
  `<div class="wide" tabindex="0" role="region" aria-label="${escaped(label)}"><table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${fields.map(row).join('\n')}
</tbody>
</table></div>`;

const row = ({ name, type, isRequired, description }: Field) =>
  `<tr><th scope="row"><code>${escaped(name)}</code>${isRequired ? ' required' : ''}</th><td>${type}</td><td>${inline(description)}</td></tr>`;

/** All schemas of the contract that have a name, each with an anchor. */
export const schemaList = (contract: Json): string =>
  Object.entries((contract.components as { schemas: Record<string, Json> }).schemas)
    .map(
      ([name, schema]) =>
        `<details class="schema" id="schema-${name}"><summary><h3><code>${name}</code></h3></summary>
<p>${inline(String(schema.description ?? ''))}</p>
${typeOf(schema, name)}
</details>`,
    )
    .join('\n');

/** A schema as HTML: a link to one with a name, the fields of an object (if it has a label), or its type. */
export function typeOf(schema: Json, label?: string): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (label && schema.properties) return properties(schema, label);
  if ('const' in schema) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `<code>${escaped(String(value))}</code>`).join(', ');
  const variants = (schema.anyOf ?? schema.oneOf ?? (schema.type ? undefined : schema.allOf)) as Json[] | undefined;
  if (variants) return variants.map((variant) => typeOf(variant)).join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items as Json, label)}`;
  if (schema.properties && !label)
    return `object of ${Object.keys(schema.properties as Json)
      .map(code)
      .join(', ')}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return escaped([types, schema.format, limits(schema)].filter(Boolean).join(', '));
}

const code = (name: string) => `<code>${escaped(name)}</code>`;

function properties(schema: Json, label: string): string {
  const required = new Set(schema.required as string[] | undefined);
  return fieldTable(
    label,
    Object.entries(schema.properties as Record<string, Json>).map(([name, member]) => ({
      name,
      type: typeOf(member),
      isRequired: required.has(name),
      description: String(member.description ?? ''),
    })),
  );
}

const LIMITS = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'from length',
  maxLength: 'to length',
  default: 'default',
};

const limits = (schema: Json): string =>
  Object.entries(LIMITS)
    .flatMap(([key, words]) => (key in schema ? [`${words} ${schema[key]}`] : []))
    .join(', ');
