import { expect } from 'chai';
import { createUnderLoss, creationVerdict } from './scenes/creations.ts';
import { broken, shown } from './verdicts.ts';

const CREATIONS = Number(process.env.CHAOS_CREATIONS ?? 60);

describe('subaccounts with lost responses', function () {
  this.timeout(120_000 + CREATIONS * 500);

  it('are found again: none is created twice, none is left over, each belongs to one intent', async () => {
    const created = await createUnderLoss({
      creations: CREATIONS,
      seed: Number(process.env.CHAOS_SEED ?? 1),
      settings: { NETVENUE_IN_FLIGHT_MS: '4000' },
    });

    const verdict = creationVerdict(created);
    console.log(`      ${shown(verdict)}`);
    expect(Object.values(created.endings).reduce((sum, count) => sum + count, 0)).to.equal(CREATIONS);
    expect(created.made.length).to.be.at.most(CREATIONS);
    expect(created.owners.sort()).to.deep.equal(created.succeeded.sort());
    expect(new Set(created.owned).size).to.equal(created.owned.length);
    expect(created.owned.sort(byNumber)).to.deep.equal(created.made.sort(byNumber));
    expect(broken([verdict])).to.deep.equal([]);
  });
});

const byNumber = (a: number, b: number) => a - b;
