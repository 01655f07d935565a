/**
 * MessagePack of JSON values, written for the tests from the specification of the format: integers in their shortest
 * form (no floats), texts, lists, and maps in the order of their members.
 */
export function packed(value: unknown): Buffer {
  if (value === null) return Buffer.from([0xc0]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === 'number') return packedInteger(BigInt(value));
  if (typeof value === 'string') return Buffer.concat([textHead(Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(value.length, 0x90, 0xdc), ...value.map(packed)]);
  const members = Object.entries(Object(value));
  return Buffer.concat([head(members.length, 0x80, 0xde), ...members.flat().map(packed)]);
}

function packedInteger(value: bigint): Buffer {
  if (value < 0n) throw new RangeError('no action holds a negative number');
  if (value < 0x80n) return Buffer.from([Number(value)]);
  const width = [1, 2, 4, 8].find((bytes) => value < 1n << BigInt(8 * bytes)) ?? 8;
  const digits = value.toString(16).padStart(width * 2, '0');
  return Buffer.from((0xcc + Math.log2(width)).toString(16) + digits, 'hex');
}

function textHead(bytes: number): Buffer {
  if (bytes < 32) return Buffer.from([0xa0 + bytes]);
  return bytes < 256 ? Buffer.from([0xd9, bytes]) : Buffer.from([0xda, bytes >> 8, bytes & 0xff]);
}

function head(count: number, short: number, long: number): Buffer {
  return count < 16 ? Buffer.from([short + count]) : Buffer.from([long, count >> 8, count & 0xff]);
}
