import { expect } from 'chai';
import { type ErrorCode, errors } from '../../src/kernel/error-codes.ts';
import { effects } from '../../src/kernel/error-effects.ts';
import type { Data } from './identity.ts';

/** Expects a problem document of this code, with the status and title of the catalogue. */
export function expectRejected({ status, headers, body }: Data, code: ErrorCode, members: object = {}): void {
  const [expected, title] = errors[code];
  expect(body).to.have.nested.property('error.code', code);
  expect(status).to.equal(expected);
  expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
  expect(body).to.include({ status: expected, title });
  expect(body.error).to.deep.include(members);
  expectListed(code, body.error.effect);
}

/** Expects that the catalogue lists an effect for the code: callers read there what a write that ends with it can have done. */
export function expectListed(code: ErrorCode, effect: unknown): void {
  if (effect !== undefined) expect(effects[code] ?? '`none`', `effects of ${code}`).to.include(`\`${effect}\``);
}
