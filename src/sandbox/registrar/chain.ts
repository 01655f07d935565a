import { parseAbiParameters, verifyTypedData } from 'viem';

/** A signed authorization (EIP-3009). Amounts are in the token's smallest unit, times in epoch seconds. */
export type Payment = {
  from: `0x${string}`;
  to: `0x${string}`;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: `0x${string}`;
  signature: `0x${string}`;
};

/** The token of a payment: its EIP-712 domain. */
export type Token = { name: string; version: string; chainId: number; verifyingContract: `0x${string}` };

/** A chain with one EIP-3009 token, as a facilitator uses it. Each nonce of a payer is accepted once. */
export type PayChain = {
  token: Token;
  nowS(): Promise<number>;
  balanceOf(address: string): Promise<bigint>;
  isUsed(payer: string, nonce: string): Promise<boolean>;
  /** Moves the money if the token allows it. Resolves when the transfer is on chain. */
  settle(payment: Payment): Promise<{ txHash: string } | { rejected: string }>;
};

const TYPES = {
  TransferWithAuthorization: parseAbiParameters(
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
  ),
};

/** Why a payment would be rejected, as an x402 error code (v2, section 9). Null if it would be settled. */
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
