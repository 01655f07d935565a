import { expect } from 'chai';
import { sanitizeError, serializeError } from '../../src/kernel/serialize-error.ts';

const CANARY = 'CANARY-c9f1';

describe('serializeError', () => {
  it('keeps the text of every other error', () => {
    const error = new Error('It broke', { cause: Object.assign(new Error('inside'), { code: 'ECONNREFUSED' }) });

    expect(serializeError(error)).to.deep.include({ type: 'Error', message: 'It broke' });
    expect(serializeError(error).cause).to.deep.include({ code: 'ECONNREFUSED', message: 'inside' });
    expect(serializeError('text')).to.deep.equal({ type: 'string' });
  });
});

describe('serializeError of an error of the server', () => {
  it('keeps the text that says why there is no connection, and drops one that may hold values of a row', () => {
    const error = (code: string) => Object.assign(new Error(`It is ${CANARY}`), { code, severity: 'FATAL' });

    for (const code of ['28000', '28P01', '3D000', '53300', '57P03', '58030'])
      expect(serializeError(error(code)).message).to.equal(`It is ${CANARY}`);
    for (const code of ['23505', '23514', '22P02', '42601', 'P0001', 'XX000'])
      expect(JSON.stringify(serializeError(error(code)))).not.to.include(CANARY);
  });
});

describe('sanitizeError', () => {
  it('is an error without values reported by the database, in text and stack, and with the names of the failed objects', () => {
    const members = {
      code: '23505',
      severity: 'ERROR',
      constraint: 'apps_slug_taken',
      detail: `Key (slug)=(${CANARY})`,
    };
    const error = new Error('It broke', { cause: Object.assign(new Error(`It is ${CANARY}`), members) });
    const raw = Object.assign(new Error(`It is ${CANARY}`), members);
    const quoting = new Error(`It broke, because it is ${CANARY}`, { cause: raw });

    for (const { message, stack } of [error, raw, quoting].map(sanitizeError)) {
      expect(`${message} ${stack}`).not.to.include(CANARY);
      expect(message).to.include('23505');
      expect(stack).to.include('    at ');
    }
    expect(sanitizeError(raw).message).to.include('apps_slug_taken');
  });

  it('keeps the text of every other error, and wraps anything that is not an error', () => {
    expect(sanitizeError(new TypeError('It broke')).message)
      .to.include('It broke')
      .and.to.include('TypeError');
    expect(sanitizeError('text')).to.be.an('error');
  });
});
