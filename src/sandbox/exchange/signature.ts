import { type Hex, keccak256, recoverTypedDataAddress, serializeSignature } from 'viem';
import { bigEndian, encode } from './msgpack.ts';
import type { Request } from './request.ts';

/** See venues/exchange.md#signing. The chain id is the same on both networks. */
const DOMAIN = {
  name: 'Exchange',
  version: '1',
  chainId: 1337,
  verifyingContract: '0x0000000000000000000000000000000000000000',
} as const;
const AGENT = [
  { name: 'source', type: 'string' },
  { name: 'connectionId', type: 'bytes32' },
] as const;

/**
 * The address that the signature of a request recovers to, or null. A hash of other bytes recovers to another address;
 * the venue then reports an unknown user.
 */
export const signerOf = async (request: Request, network: 'mainnet' | 'testnet'): Promise<string | null> => {
  const { r, s, v } = request.signature;
  try {
    const address = await recoverTypedDataAddress({
      domain: DOMAIN,
      types: { Agent: AGENT },
      primaryType: 'Agent',
      message: { source: network === 'mainnet' ? 'a' : 'b', connectionId: connectionId(request) },
      signature: serializeSignature({ r: padded(r), s: padded(s), v: BigInt(v) }),
    });
    return address.toLowerCase();
  } catch {
    return null;
  }
};

const connectionId = ({ action, nonce, vaultAddress, expiresAfter }: Request): Hex =>
  keccak256(
    Uint8Array.from([
      ...encode(action.hashed),
      ...bigEndian(BigInt(nonce), 8),
      ...(vaultAddress === null ? [0] : [1, ...Buffer.from(vaultAddress.slice(2), 'hex')]),
      ...(expiresAfter === null ? [] : [0, ...bigEndian(BigInt(expiresAfter), 8)]),
    ]),
  );

/** Pads a value whose leading zeros may be missing. */
const padded = (half: string): Hex => `0x${half.slice(2).padStart(64, '0')}`;
