import { Readable } from 'node:stream';
import { expect } from 'chai';
import { requireNoMembers } from '../../src/edge/no-body.ts';

const LENGTH = 65_536; // that comes at once
const MOST_MS = 50;

describe('a body where the operation takes none', () => {
  for (const [what, ends] of [
    ['ends with a member', 'x'],
    ['ends with nothing', ''],
  ])
    for (const part of [' ', '\t', '{ ', '[', 'null ', '{}'])
      it(`costs little, whatever it is: one of ${JSON.stringify(part)} that ${what}`, async () => {
        const bytes = Buffer.from(part.repeat(LENGTH / part.length) + ends);
        const req = Object.assign(Readable.from([bytes]), { headers: { 'content-length': String(bytes.length) } });
        const before = process.threadCpuUsage();

        const error = await requireNoMembers({ req } as never).catch(({ code }) => code); // as: nothing else of a request is read

        expect(process.threadCpuUsage(before).user / 1_000).to.be.below(MOST_MS);
        expect(error).to.equal('INVALID_REQUEST');
      });
});
