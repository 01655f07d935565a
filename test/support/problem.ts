import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { type ErrorCode, errors } from '../../src/kernel/error-codes.ts';
import type { Reply } from './caller.ts';
import { expectListed } from './rejected.ts';

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(document, 'contract');
const isProblem = ajv.compile({ $ref: 'contract#/components/schemas/Problem' });

/**
 * Expects a problem document of this code: status, title and type from the catalogue, valid against the contract, under
 * the request's id. `members` are expected among those of `error`.
 */
export function expectProblem({ status, headers, body }: Reply, code: ErrorCode, members: object = {}): void {
  const [expected, title] = errors[code];
  expect(body).to.have.nested.property('error.code', code);
  expect(status).to.equal(expected);
  expect(headers['content-type']).to.match(/^application\/problem\+json/);
  expect(body).to.include({ status: expected, title });
  expect(body.type).to.match(new RegExp(`^https?://[^/]+/docs/errors#${code}$`));
  expect(body.error).to.deep.include({ request_id: headers['x-request-id'], ...members });
  expectListed(code, body.error.effect);
  expect(isProblem(body), ajv.errorsText(isProblem.errors)).to.equal(true);
}
