import { expect } from 'chai';
import { networkOf } from '../../src/edge/address.ts';

describe('networkOf', () => {
  for (const [address, network] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['nonsense', 'nonsense'],
  ]) {
    it(`maps ${address} to ${network}`, () => {
      expect(networkOf(String(address))).to.equal(network);
    });
  }
});
