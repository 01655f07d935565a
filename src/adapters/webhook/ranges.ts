import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IANA's special-purpose registry for IPv4 (RFC 6890 and after), multicast, and a cloud's inside service at a public address. */
const SPECIAL_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host service
  ['169.254.0.0', 16], // link local, where clouds keep their metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const;

/** Inside the one block that IPv6 routes globally; everything outside 2000::/3 is special anyway. */
const SPECIAL_V6 = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address in disguise
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const special = new BlockList();
for (const [network, bits] of SPECIAL_V4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of SPECIAL_V6) special.addSubnet(network, bits, 'ipv6');

const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6'); // leaves out ::/96, mapped, NAT64, unique local, link and site local, multicast

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address is anything but a plain public one. True for whatever is no address at all. */
export function isSpecial(address: string): boolean {
  if (isIPv4(address)) return special.check(address, 'ipv4');
  if (isIPv6(address) && !address.includes('%')) {
    return !globalV6.check(address, 'ipv6') || special.check(address, 'ipv6');
  }
  return true;
}

/** Whether an address is this machine's own, written as such: no mapped form counts. */
export const isLoopback = (address: string): boolean =>
  isIPv4(address) ? loopback.check(address, 'ipv4') : address === '::1';
