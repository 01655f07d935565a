import { expect } from 'chai';
import { type Change, type Copy, changedCopy, openedBy } from './changes/copy.ts';
import { venue } from './changes/venue.ts';

type Named = { what: string; change: Change; mostFiles: number };

const CHANGES: Named[] = [{ what: 'a third venue', change: venue, mostFiles: 8 }];

for (const { what, change, mostFiles } of CHANGES)
  describe(`${what} is a change that`, function () {
    this.timeout(180_000);
    let copy: Copy;
    before(async () => {
      copy = await changedCopy(change);
    });
    after(() => copy.remove());

    it(`opens at most ${mostFiles} files`, () => {
      expect(openedBy(change)).to.be.at.most(mostFiles);
    });

    it('compiles', () => {
      expect(copy.typeErrors(['src/operations.ts', 'src/runtime/web.ts'])).to.deep.equal([]);
    });

    it('works', () => copy.runTest());
  });
