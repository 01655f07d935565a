import { expect } from 'chai';
import { type Change, type Copy, changedCopy, openedBy } from './changes/copy.ts';
import { event } from './changes/event.ts';
import { member } from './changes/member.ts';
import { venue } from './changes/venue.ts';
import { verb } from './changes/verb.ts';

/** With `needsEach` the compiler finds each of its edits that is left out. */
type Named = { what: string; change: Change; mostFiles: number; needsEach?: true };

const CHANGES: Named[] = [
  { what: 'one more member of an order', change: member, mostFiles: 5, needsEach: true },
  { what: 'one more verb', change: verb, mostFiles: 8 },
  { what: 'one more event', change: event, mostFiles: 12 },
  { what: 'a third venue', change: venue, mostFiles: 8 },
];

for (const { what, change, mostFiles, needsEach } of CHANGES)
  describe(`${what} is a change that`, function () {
    this.timeout(180_000);
    let copy: Copy;
    let tested: Promise<unknown>;
    before(async () => {
      copy = await changedCopy(change);
      tested = copy.runTest().catch((error) => error); // beside the compiler
    });
    after(() => copy.remove());

    it(`opens at most ${mostFiles} files`, () => {
      expect(openedBy(change)).to.be.at.most(mostFiles);
    });

    it('compiles', () => {
      expect(copy.typeErrors({ others: ['src/operations.ts', 'src/runtime/web.ts'] })).to.deep.equal([]);
    });

    const needed = needsEach ? change.edits.filter(({ file }) => file.endsWith('.ts')) : [];
    for (const { file } of needed)
      it(`does not compile if ${file} leaves it out`, () => {
        expect(copy.typeErrors({ without: file })).to.have.length.above(0);
      });

    it('works', async () => {
      expect(await tested, String(await tested)).to.equal(undefined);
    });
  });
