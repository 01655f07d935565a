/**
 * MessagePack of an action as the venue hashes it: maps in member order, integers in the shortest form, above 32 bits
 * as unsigned 64. Implemented here so that signature checks share no code with signing.
 */
export const encode = (value: unknown): Uint8Array => Uint8Array.from(bytesOf(value));

const bytesOf = (value: unknown): number[] => {
  if (value === true) return [0xc3];
  if (value === false) return [0xc2];
  if (typeof value === 'number') return integer(value);
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return [...counted(value.length, 0x90, 0xdc), ...value.flatMap(bytesOf)];
  if (typeof value !== 'object' || value === null) return [0xc0];
  const members = Object.entries(value);
  return [
    ...counted(members.length, 0x80, 0xde),
    ...members.flatMap(([name, member]) => [...text(name), ...bytesOf(member)]),
  ];
};

const integer = (value: number): number[] => {
  if (value < 0) return [0xd3, ...bigEndian(BigInt.asUintN(64, BigInt(value)), 8)];
  if (value < 2 ** 7) return [value];
  if (value < 2 ** 8) return [0xcc, value];
  if (value < 2 ** 16) return [0xcd, ...bigEndian(BigInt(value), 2)];
  if (value < 2 ** 32) return [0xce, ...bigEndian(BigInt(value), 4)];
  return [0xcf, ...bigEndian(BigInt(value), 8)];
};

/** A number in `bytes` bytes, big-endian. */
export const bigEndian = (value: bigint, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => Number((value >> BigInt(8 * (bytes - 1 - at))) & 0xffn));

const text = (value: string): number[] => {
  const bytes = [...new TextEncoder().encode(value)];
  if (bytes.length < 32) return [0xa0 | bytes.length, ...bytes];
  return bytes.length < 256 ? [0xd9, bytes.length, ...bytes] : [0xda, ...bigEndian(BigInt(bytes.length), 2), ...bytes];
};

const counted = (count: number, short: number, long: number): number[] =>
  count < 16 ? [short | count] : [long, ...bigEndian(BigInt(count), 2)];
