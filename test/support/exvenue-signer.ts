import { keccak256, recoverTypedDataAddress, serializeSignature } from 'viem';
import { packed } from './msgpack.ts';

/** A body as it was posted, in the venue's format. */
export type PostedBody = {
  action: Record<string, unknown>;
  nonce: number;
  signature: { r: `0x${string}`; s: `0x${string}`; v: number };
  vaultAddress?: string;
  expiresAfter?: number;
};

/**
 * The signer of a posted body, found without the library that signed it: with the tests' MessagePack encoder, and viem
 * for the rest.
 */
export async function signerOfBody(text: string, network: 'mainnet' | 'testnet'): Promise<string> {
  const body: PostedBody = JSON.parse(text);
  const { r, s, v } = body.signature;
  const address = await recoverTypedDataAddress({
    domain: {
      name: 'Exchange',
      version: '1',
      chainId: 1337,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    types: {
      Agent: [
        { name: 'source', type: 'string' },
        { name: 'connectionId', type: 'bytes32' },
      ],
    },
    primaryType: 'Agent',
    message: { source: network === 'mainnet' ? 'a' : 'b', connectionId: actionHash(body) },
    signature: serializeSignature({ r, s, v: BigInt(v) }),
  });
  return address.toLowerCase();
}

function actionHash({ action, nonce, vaultAddress, expiresAfter }: PostedBody): `0x${string}` {
  return keccak256(
    Buffer.concat([
      packed(action),
      eightBytes(nonce),
      vaultAddress ? Buffer.from(`01${vaultAddress.slice(2)}`, 'hex') : Buffer.from([0]),
      ...(expiresAfter === undefined ? [] : [Buffer.from([0]), eightBytes(expiresAfter)]),
    ]),
  );
}

function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
