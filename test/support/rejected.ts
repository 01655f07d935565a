import { expect } from 'chai';
import { type ErrorCode, errors } from '../../src/kernel/error-codes.ts';
import type { Data } from './identity.ts';

/** Expects a problem document of this code, with the status and title of the catalogue. */
export function expectRejected({ status, headers, body }: Data, code: ErrorCode, members: object = {}): void {
  const [expected, title] = errors[code];
  expect(body).to.have.nested.property('error.code', code);
  expect(status).to.equal(expected);
  expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
  expect(body).to.include({ status: expected, title });
  expect(body.error).to.deep.include(members);
}
