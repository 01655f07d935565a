import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { listOperations } from '../../src/contract/document.ts';
import { servedContract } from '../../src/edge/docs/served-contract.ts';

type Media = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
type Spec = {
  requestBody?: { content: Record<string, Media> };
  responses: Record<
    string,
    { $ref?: string; content?: Record<string, Media>; 'x-events'?: Record<string, { $ref: string }> }
  >;
};

const contract = servedContract();
const paths = contract.paths as Record<string, Record<string, Spec>>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(contract, 'contract');

const keyed = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** What is wrong with the examples of a content: there is none, or one does not fit the schema. */
function faults(at: string, content: Record<string, Media>): string[] {
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) => {
    const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
    if (values.length === 0) return [`${at}: no example`];
    const check = ajv.getSchema(`contract#${at}/content/${keyed(type)}/schema`);
    return values.flatMap((value) => (check?.(value) ? [] : [`${at}: ${ajv.errorsText(check?.errors)}`]));
  });
}

describe('the examples of the reference', () => {
  const operations = listOperations().map((operation) => ({
    ...operation,
    at: `/paths/${keyed(operation.path)}/${operation.method}`,
    spec: paths[operation.path]?.[operation.method] as Spec,
  }));

  it('show a valid request for every operation with a body', () => {
    const found = operations.flatMap(({ at, spec }) =>
      spec.requestBody ? faults(`${at}/requestBody`, spec.requestBody.content) : [],
    );

    expect(found).to.deep.equal([]);
  });

  it('show a valid response for every operation that responds with content', () => {
    const found = operations.flatMap(({ at, spec }) => {
      const [status, response] = Object.entries(spec.responses).find(([each]) => each.startsWith('2')) ?? [];
      if (!response) return [`${at}: no success`];
      return response.content ? faults(`${at}/responses/${status}`, response.content) : [];
    });

    expect(found).to.deep.equal([]);
  });

  it('show valid responses wherever they show one', () => {
    const found = operations.flatMap(({ at, spec }) =>
      Object.entries(spec.responses).flatMap(([status, { content }]) =>
        content && Object.values(content).some(({ example }) => example !== undefined)
          ? faults(`${at}/responses/${status}`, content)
          : [],
      ),
    );

    expect(found).to.deep.equal([]);
  });

  it('show streams whose events fit their schemas', () => {
    for (const { id, spec } of operations.filter(({ streams }) => streams)) {
      const { content = {}, 'x-events': schemas = {} } = spec.responses[200] ?? {};
      const text = String(content['text/event-stream']?.example);
      const events = [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)];

      expect(events, id).not.to.be.empty;
      for (const [, type = '', data = ''] of events) {
        const check = ajv.getSchema(`contract${schemas[type]?.$ref}`);
        expect(check?.(JSON.parse(data)), `${id} ${type}: ${ajv.errorsText(check?.errors)}`).to.equal(true);
      }
    }
  });

  it('contain no address of a test and no secret of a run', () => {
    const text = JSON.stringify(contract);

    expect(text).not.to.match(/127\.0\.0\.1:\d|localhost:\d/);
  });
});
