import { listOperations, type Operation } from '../../contract/document.ts';
import { escaped } from '../../kernel/html.ts';
import { exampleBlocks, trialOf } from './example-blocks.ts';
import { inline } from './markup.ts';
import { fieldTable, type Json, schemaList, typeOf } from './schemas.ts';
import { servedContract } from './served-contract.ts';

type Spec = Json & {
  summary: string;
  description?: string;
  tags: [string];
  parameters?: Json[];
  responses: Record<string, Json>;
};

/** The reference: every operation by tag, with its parameters, bodies, responses and examples; then every schema. */
export function renderReference(): string {
  const contract = servedContract();
  const operations = listOperations().map((operation) => ({ operation, spec: specOf(contract, operation) }));
  const tags = contract.tags as { name: string; description: string }[]; // as: the contract was checked
  const groups = tags.map(({ name, description }) => {
    const tagged = operations.filter(({ spec }) => spec.tags.includes(name));
    const items = tagged.map(({ operation, spec }) => renderOperation(contract, operation, spec)).join('\n');
    return `<section><h2 id="${escaped(name.replaceAll(' ', '-'))}">${escaped(name)}</h2>\n<p>${inline(description)}</p>\n${items}</section>`;
  });
  return `<h1 id="reference">Reference</h1>
<p>${inline((contract.info as { description: string }).description)}</p>
<p class="filter"><label for="filter">Filter</label>
<input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="tp-sl, POST, payouts">
<button type="button" id="open-all">Open all</button> <span id="count" role="status"></span></p>
${groups.join('\n')}
<h2 id="schemas">Schemas</h2>
${schemaList(contract)}`;
}

const specOf = (contract: Json, { path, method }: Operation) =>
  (contract.paths as Record<string, Record<string, Spec>>)[path]?.[method] as Spec; // as: the list was made from it

function renderOperation(contract: Json, operation: Operation, spec: Spec): string {
  const { id, method, path } = operation;
  const parameters = (spec.parameters ?? []).map((parameter) => resolved(contract, parameter));
  const body = spec.requestBody as Json | undefined;
  return `<details class="operation" id="${id}"${trialData(operation, spec)}>
<summary><h3><span class="method">${method.toUpperCase()}</span> <code>${escaped(path)}</code> <span class="summary">${inline(spec.summary)}</span></h3></summary>
<p><code>${id}</code>. ${inline(spec.description ?? '')}</p>
<p>${credentials(operation)}</p>
${parameters.length > 0 ? `<h4>Parameters</h4>\n${parameterTable(id, parameters)}` : ''}
${body ? `<h4>Body</h4>\n${content(id, body)}` : ''}
<h4>Responses</h4>
${responseTable(contract, id, spec.responses)}
${exampleBlocks(operation, spec)}
</details>`;
}

/** For the form that sends the operation from the page, which the page's script adds. */
function trialData(operation: Operation, spec: Spec): string {
  const trial = trialOf(operation, spec);
  return trial ? ` data-trial="${escaped(JSON.stringify(trial))}"` : '';
}

function credentials({ security }: Operation): string {
  const sets = security.filter((set) => set.length > 0).map((set) => set.map(shownScheme).join(' and '));
  return sets.length === 0 ? 'No credentials.' : `Credentials: ${sets.join(', or ')}.`;
}

const shownScheme = ({ scheme, roles }: Operation['security'][number][number]) =>
  `<code>${scheme}</code>${roles.length > 0 ? ` with <code>${roles.map(escaped).join(' ')}</code>` : ''}`;

const parameterTable = (id: string, parameters: Json[]) =>
  fieldTable(
    `Parameters of ${id}`,
    parameters.map(({ name, in: place, required, description, schema }) => ({
      name: String(name),
      type: `${place}: ${typeOf(schema as Json)}`,
      isRequired: required === true,
      description: String(description ?? ''),
    })),
  );

const content = (id: string, body: Json) =>
  Object.entries(body.content as Record<string, { schema: Json }>)
    .map(([type, { schema }]) => `<p><code>${escaped(type)}</code>: ${typeOf(schema, `Body of ${id}`)}</p>`)
    .join('\n');

function responseTable(contract: Json, id: string, responses: Record<string, Json>): string {
  const rows = Object.entries(responses).map(([status, written]) => {
    const response = resolved(contract, written);
    const types = Object.values((response.content ?? {}) as Record<string, { schema: Json }>);
    return {
      name: status,
      type: types.map(({ schema }) => typeOf(schema)).join(', ') || 'empty',
      isRequired: false,
      description: String(response.description),
    };
  });
  return fieldTable(`Responses of ${id}`, rows);
}

function resolved(contract: Json, node: Json): Json {
  if (typeof node.$ref !== 'string') return node;
  const keys = node.$ref.slice(2).split('/');
  return keys.reduce<unknown>((at, key) => (at as Json)[key], contract) as Json; // as: the contract was checked
}
