import { expect } from 'chai';
import { asUnsent, throwUnsent } from '../../src/intents/unsent.ts';

const failing = (code: string) => Object.assign(new Error('failed'), { code });

/** What a `send` ends with that meets this fault before its first byte. */
async function sendWith(fault: Error): Promise<unknown> {
  return Promise.reject(fault).catch(throwUnsent).catch(asUnsent);
}

describe('a fault of the database before the first byte of a request', () => {
  for (const [code, what] of [
    ['ECONNRESET', 'the database was away'],
    ['53100', 'its disk was full'],
    ['57014', 'an operator cancelled the statement'],
    ['55P03', 'the statement waited too long for a lock'],
    ['40P01', 'the statement was undone for others'],
  ] as const)
    it(`proves that nothing was sent, if ${what}`, async () => {
      expect(await sendWith(failing(code))).to.include({ kind: 'unreachable' });
    });

  it('proves nothing if the statement was wrong: it is thrown as it is', async () => {
    const wrong = failing('42703');

    expect(await sendWith(wrong).catch((error: unknown) => error)).to.equal(wrong);
    expect(() => asUnsent(failing('57014')), 'only those that are caught before the first byte').to.throw('failed');
  });
});
