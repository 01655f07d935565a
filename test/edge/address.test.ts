import { expect } from 'chai';
import type { Context } from 'koa';
import { callerAddress, networkOf } from '../../src/edge/throttle.ts';
import type { Principal } from '../../src/kernel/principal.ts';

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
    ['2001::2:3:4:5:6:7', '2001:0:2:3::/64'],
    ['1:2:3', '1:2:3::/64'], // malformed: what there is of it
    ['::ffff:203.10.113.177', '203.10.113.177'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['::ffff:7', '0:0:0:0::/64'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['nonsense', 'nonsense'],
    ['x::ffff:203.0.113.7', 'x::ffff:203.0.113.7'],
    ['::ffff:203.0.113.7x', '::ffff:203.0.113.7x'],
    ['host 2001:db8::1', 'host 2001:db8::1'],
    ['2001:db8::1 port', '2001:db8::1 port'],
  ]) {
    it(`maps ${address} to ${network}`, () => {
      expect(networkOf(String(address))).to.equal(network);
    });
  }
});

describe('callerAddress', () => {
  const caller = (kind: string, reported = '', ip = '192.0.2.1') =>
    callerAddress(
      { ip, get: (name: string) => (name === 'X-End-User-Address' ? reported : '') } as Context, // as: all that is read
      { kind } as Principal, // as: only its kind is read
    );

  it('is that of the connection, shared by the users of an app that reports none', () => {
    const connection = { address: '192.0.2.1', network: '192.0.2.1' };

    for (const kind of ['nobody', 'partner', 'trader', 'admin'])
      expect(caller(kind), kind).to.deep.equal({ ...connection, isApps: false, isShared: false });
    for (const kind of ['app', 'user'])
      expect(caller(kind), kind).to.deep.equal({ ...connection, isApps: true, isShared: true });
  });

  it('is what an app reports of its user, at most 64 characters, and nobody else reports one', () => {
    const reported = { address: '2001:db8::7', network: '2001:db8:0:0::/64', isApps: true, isShared: false };

    for (const kind of ['app', 'user']) expect(caller(kind, '2001:db8::7'), kind).to.deep.equal(reported);
    expect(caller('app', 'x'.repeat(65)).address).to.equal('x'.repeat(64));
    for (const kind of ['nobody', 'partner', 'trader', 'admin'])
      expect(caller(kind, '2001:db8::7'), kind).to.include({ address: '192.0.2.1', isApps: false, isShared: false });
  });

  it('is one for all connections of a caller whose port the proxy names', () => {
    for (const ip of ['203.0.113.7:4711', '203.0.113.7:4712', '203.0.113.7'])
      expect(caller('nobody', '', ip), ip).to.include({ address: '203.0.113.7', network: '203.0.113.7' });
    for (const ip of ['[2001:db8::7]:4711', '[2001:db8::7]', '2001:db8::7'])
      expect(caller('nobody', '', ip), ip).to.include({ address: '2001:db8::7', network: '2001:db8:0:0::/64' });
  });
});
