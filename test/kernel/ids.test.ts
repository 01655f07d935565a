import { expect } from 'chai';
import { isUuid, newIntentId } from '../../src/kernel/ids.ts';

describe('newIntentId', () => {
  it('is a UUID of version 7: its first 48 bits are the time, its variant is RFC 9562’s', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

    const id = newIntentId(at);

    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUuid(id)).to.equal(true);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(at);
  });

  it('never comes twice', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => newIntentId(0)));

    expect(ids.size).to.equal(10_000);
  });
});
