import { expect } from 'chai';
import { compilersOfCopies } from './changes/compiler.ts';
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

describe('a change of the project', function () {
  this.timeout(180_000);
  const compilerOf = compilersOfCopies();
  let all: Copy;
  let tested: ReturnType<Copy['runTests']>;
  before(async () => {
    all = await changedCopy(
      CHANGES.map(({ change }) => change),
      compilerOf,
    );
    tested = all.runTests(); // of all changes in one copy, on one database server, beside the compiler
    tested.catch(() => {}); // each test awaits it
  });
  after(async () => {
    await tested.catch(() => {});
    await all.remove();
  });

  for (const { what, change, mostFiles, needsEach } of CHANGES)
    describe(`${what} is one that`, () => {
      let copy: Copy;
      before(async () => {
        copy = await changedCopy([change], compilerOf);
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

      it('works, beside the others', async () => {
        const { output, failedFiles } = await tested;

        for (const file of [change.test.file, ...(change.test.and ?? [])])
          expect(failedFiles, output).not.to.include(file);
      });
    });
});
