import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type AppId,
  type IntentId,
  intentIdTimeMs,
  isUuid,
  newIntentId,
  type OrderUuid,
  type UserId,
} from '../../src/kernel/ids.ts';

describe('newIntentId', () => {
  it('is a UUID of version 7: its first 48 bits are the time, its variant is that of RFC 9562', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

    const id = newIntentId(at);

    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUuid(id)).to.equal(true);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(at);
  });

  it('bears a mark, by which its time is told; other ids do not', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const id = newIntentId(at);
    const others = [`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`, randomUUID(), 'no id'];

    expect(intentIdTimeMs(id)).to.equal(at);
    expect(others.map(intentIdTimeMs)).to.deep.equal([null, null, null]);
  });

  it('is always different', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => newIntentId(0)));

    expect(ids.size).to.equal(10_000);
  });
});

describe('ids of different kinds', () => {
  const findAccount = (owner: AppId, user: UserId): [AppId, UserId] => [owner, user];

  it('do not fit in one another’s place', () => {
    const [app, user]: [AppId, UserId] = ['app_1', 'usr_1'];

    // @ts-expect-error: the arguments are swapped
    const swapped = findAccount(user, app);

    expect(swapped).to.deep.equal([user, app]);
  });

  it('let an intent’s id name the order it placed, and no other way round', () => {
    const intent: IntentId = 'a';
    const order: OrderUuid = intent;
    // @ts-expect-error: the network has orders of its own
    const back: IntentId = order as OrderUuid;

    expect(back).to.equal(intent);
  });
});
