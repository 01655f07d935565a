import { expect } from 'chai';
import fc from 'fast-check';
import { type Case, caseAfter, type ProcessorUpdate } from '../../src/capabilities/kyc/rules.ts';

const fresh: Case = { status: 'unverified', statusAtMs: 0, sessionId: 'vs_2', failureReason: null };
const report = (status: string, atMs: number, failure: string | null = null): ProcessorUpdate => ({
  ...{ sessionId: 'vs_2', atMs, status, failure },
});
function endOf(reports: readonly ProcessorUpdate[]): Case {
  let current = fresh;
  for (const each of reports) {
    const next = caseAfter(current, each);
    if (next) current = { ...current, ...next, statusAtMs: each.atMs };
  }
  return current;
}

describe('a verification case', () => {
  it('ends alike in every order of reports, also of those that the processor dates to one second', () => {
    const within = [
      report('requires_input', 1_000),
      report('processing', 1_000),
      report('requires_input', 1_000, 'document_expired'),
    ];

    fc.assert(
      fc.property(fc.shuffledSubarray([...within, ...within], { minLength: 6 }), (reports) => {
        expect(endOf(reports)).to.include({ status: 'needs_input', failureReason: 'document_expired' });
      }),
    );
  });

  it('ends alike in every order of reports that repeat an earlier status', () => {
    const tried = [
      report('processing', 1_000),
      report('requires_input', 2_000, 'document_expired'),
      report('processing', 3_000),
    ];

    fc.assert(
      fc.property(fc.shuffledSubarray([...tried, ...tried], { minLength: 6 }), (reports) => {
        expect(endOf(reports)).to.include({ status: 'processing', failureReason: null });
      }),
    );
  });

  it('goes on when the user tries again, and stays verified', () => {
    const again = [report('requires_input', 1_000, 'document_expired'), report('processing', 2_000)];

    expect(endOf(again).status).to.equal('processing');
    expect(endOf([...again, report('verified', 2_000), report('processing', 3_000)]).status).to.equal('verified');
  });
});
