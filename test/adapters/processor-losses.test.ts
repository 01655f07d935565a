import { expect } from 'chai';
import { readDispute } from '../../src/adapters/processor/losses.ts';

const DISPUTE = { id: 'du_1', object: 'dispute', amount: 100, currency: 'eur', created: 1, payment_intent: 'pi_1' };

/** What a dispute of 100 has taken and given back, in the currency of the balance, and what it takes. */
const CASES: [status: string, moves: number[], cents: number, madeCents?: number][] = [
  ['needs_response', [-100], 100],
  ['needs_response', [], 100],
  ['lost', [], 100],
  ['lost', [-100], 100],
  ['lost', [-100, 30], 70, 100],
  ['lost', [-200, 60], 70, 100],
  ['lost', [-100, 100], 0, 100],
  ['lost', [-100, 105], 0, 100],
  ['lost', [-100, 100, -100], 100],
  ['appeal_under_review', [-100, 30], 70, 100],
  ['won', [-100, 100], 100],
];

describe('a dispute as the processor reports it', () => {
  for (const [status, moves, cents, madeCents] of CASES)
    it(`takes ${cents} of 100 where it is ${status} and has moved [${moves}]`, () => {
      const balance_transactions = moves.map((amount) => ({ amount }));

      const loss = readDispute({ ...DISPUTE, status, balance_transactions })?.loss;

      expect(loss).to.include({ kind: 'dispute', status, cents });
      expect(loss?.madeCents).to.equal(madeCents);
    });
});
