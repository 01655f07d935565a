const BELONG_TOGETHER = 4; // groups of 16 bits: whoever has one address of IPv6 has the whole /64 (RFC 6177)

/** What tries are counted by: an address of IPv4 itself, of IPv6 its /64. Whatever is no address stays as it is. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*(%\w+)?$/i.test(address)) return address;
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = right ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...(right ?? [])].slice(0, BELONG_TOGETHER);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
