import { expect } from 'chai';
import { matchCreation, type OpenCreation, type Orphan } from '../../src/capabilities/accounts/rules.ts';
import type { Hotkey } from '../../src/kernel/ids.ts';

const AT_MS = 1_700_000_000_000;
const SKEW_MS = 5_000;

/** A creation that was sent so many milliseconds after the beginning, when the next id of the entity was `first_id`. */
const doubt = (id: string, sentMs = 0, first_id: number | null = 0): OpenCreation => ({
  ...{ id, sent_ms: AT_MS + sentMs, in_doubt: true, first_id },
});
const running = (id: string, sentMs = 0, first_id: number | null = 0) => ({
  ...doubt(id, sentMs, first_id),
  in_doubt: false,
});
const orphan = (subaccountId: number, createdMs: number | null = 0): Orphan => ({
  ...{ syntheticHotkey: `e_${subaccountId}` as Hotkey, subaccountId, assetClass: 'crypto', accountSize: 1 },
  createdMs: createdMs === null ? null : AT_MS + createdMs,
});

/** The id of the subaccount that the creation `a` made, or what is known instead. */
function made(open: OpenCreation[], orphans: Orphan[], id = 'a'): number | string {
  const match = matchCreation(id, open, orphans);
  return match.kind === 'found' ? match.orphan.subaccountId : match.kind;
}

describe('the subaccount that a creation in doubt has made', () => {
  for (const [what, open, orphans, expected] of [
    ['is one without an owner that was created since it was sent', [doubt('a')], [orphan(7)], 7],
    ['is none if there is none', [doubt('a')], [], 'none'],
    ['may be older by the clock of the network', [doubt('a', 0, null)], [orphan(7, -SKEW_MS)], 7],
    ['is no older one where no id was known', [doubt('a', 0, null)], [orphan(7, -SKEW_MS - 1)], 'none'],
    ['is known by its id, however far the clock of the network is behind', [doubt('a')], [orphan(7, -600_000)], 7],
    ['has the next id that was known before, or a later one', [doubt('a', 0, 7)], [orphan(7)], 7],
    ['has no earlier id', [doubt('a', 0, 8)], [orphan(7)], 'none'],
    ['may have any id where none was known', [doubt('a', 0, null)], [orphan(7)], 7],
    ['is not known without its time', [doubt('a')], [orphan(7, null)], 'ambiguous'],
    ['is not known where more were made than are in doubt', [doubt('a')], [orphan(7), orphan(8)], 'ambiguous'],
    [
      'is not known yet while another that is under way may have made it',
      [doubt('a'), running('b')],
      [orphan(7)],
      'wait',
    ],
    [
      'is not that of another that was sent later',
      [doubt('a', 0, null), running('b', SKEW_MS + 1, null)],
      [orphan(7)],
      7,
    ],
    ['is not that of another that was sent when its id was given', [doubt('a'), running('b', 0, 8)], [orphan(7)], 7],
  ] satisfies [string, OpenCreation[], Orphan[], number | string][])
    it(what, () => {
      expect(made(open, orphans)).to.equal(expected);
    });

  it('is each creation’s own, in the order of time, whoever looks first', () => {
    const open = [doubt('a'), doubt('b', 1_000), doubt('c', 60_000)];
    const orphans = [orphan(9, 2_000), orphan(8, 1_000)];

    expect(['a', 'b', 'c'].map((id) => made(open, orphans, id))).to.deep.equal([8, 9, 'none']);
  });

  it('is that of the one that can have made it, though an older one is in doubt', () => {
    const open = [doubt('a', 0, 9), doubt('b', 1_000, 7)];

    expect(['a', 'b'].map((id) => made(open, [orphan(8, 2_000)], id))).to.deep.equal(['none', 8]);
  });
});
