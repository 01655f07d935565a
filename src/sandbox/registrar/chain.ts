import { verifyTypedData } from 'viem';

/** A signed authorization (EIP-3009). Amounts in the token's smallest units, times in epoch seconds. */
export type Payment = {
  from: `0x${string}`;
  to: `0x${string}`;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: `0x${string}`;
  signature: `0x${string}`;
};

/** The token a payment moves: its EIP-712 domain. */
export type Token = { name: string; version: string; chainId: number; verifyingContract: `0x${string}` };

/** A chain with one token of EIP-3009, as a facilitator uses it. A nonce of a payer is taken once. */
export type PayChain = {
  token: Token;
  nowS(): Promise<number>;
  balanceOf(address: string): Promise<bigint>;
  isUsed(payer: string, nonce: string): Promise<boolean>;
  /** Moves the money if the token lets it, and resolves once that is on chain. */
  settle(payment: Payment): Promise<{ txHash: string } | { refused: string }>;
};

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Why a payment would be refused, in the words of x402 (v2, section 9); null where it would be settled. */
export async function faultOf(chain: PayChain, { signature, ...message }: Payment): Promise<string | null> {
  const now = BigInt(await chain.nowS());
  const signed = { domain: chain.token, types: TYPES, primaryType: 'TransferWithAuthorization', message } as const;
  const isSigned = await verifyTypedData({ ...signed, address: message.from, signature }).catch(() => false);
  if (!isSigned) return 'invalid_exact_evm_payload_signature';
  if (now <= message.validAfter) return 'invalid_exact_evm_payload_authorization_valid_after';
  if (now >= message.validBefore) return 'invalid_exact_evm_payload_authorization_valid_before';
  if (await chain.isUsed(message.from, message.nonce)) return 'invalid_transaction_state';
  return (await chain.balanceOf(message.from)) < message.value ? 'insufficient_funds' : null;
}
