import { expect } from 'chai';
import { type RefusalCode, refusals } from '../../src/kernel/refusals.ts';
import type { Said } from './identity.ts';

/** Expects a problem document of this code, with the status and title of the catalogue. */
export function expectRefused({ status, headers, body }: Said, code: RefusalCode, members: object = {}): void {
  const [expected, title] = refusals[code];
  expect(body).to.have.nested.property('error.code', code);
  expect(status).to.equal(expected);
  expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
  expect(body).to.include({ status: expected, title });
  expect(body.error).to.deep.include(members);
}
