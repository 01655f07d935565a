/** @typedef {{ name: string, in: string, required?: boolean, description?: string, schema?: any }} Parameter */
/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method in lower case
 * @property {string} path with its parameters in braces
 * @property {string} summary
 * @property {string[][]} schemes sets of security schemes, one of which must pass
 * @property {Parameter[]} parameters
 * @property {{ type: string, value: unknown } | undefined} body the first type of body, with an example
 * @property {boolean} streams
 */

/** @type {Promise<any> | undefined} */
let contract;

/** The operations of the contract that a set of these schemes opens, by path. @param {(set: string[]) => boolean} opens @returns {Promise<Operation[]>} */
export async function operationsFor(opens) {
  contract ??= fetch('/openapi.json').then((response) => response.json());
  const { paths, components } = await contract;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(/** @type {Record<string, any>} */ (item))
      .map(([method, spec]) => operationOf(path, method, spec, components))
      .filter(({ schemes }) => schemes.some(opens)),
  );
}

/** @param {string} path @param {string} method @param {any} spec @param {any} components @returns {Operation} */
function operationOf(path, method, spec, components) {
  const [type, media] = Object.entries(spec.requestBody?.content ?? {})[0] ?? [];
  return {
    id: spec.operationId,
    method,
    path,
    summary: spec.summary,
    schemes: (spec.security ?? []).map((/** @type {object} */ set) => Object.keys(set)),
    parameters: (spec.parameters ?? []).map((/** @type {any} */ each) => components.parameters[nameIn(each)] ?? each),
    body: type === undefined ? undefined : { type, value: exampleOf(media) },
    streams: 'text/event-stream' in (spec.responses['200']?.content ?? {}),
  };
}

/** @param {{ $ref?: string }} node */
const nameIn = ({ $ref }) => $ref?.split('/').at(-1) ?? '';

/** @param {any} media */
const exampleOf = ({ example, examples = {} }) =>
  example ?? /** @type {any} */ (Object.values(examples)[0])?.value ?? {};
