import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

const KEY = /^(0x)?[0-9a-f]{64}$/i;

/**
 * The account of a private key (32 bytes in hex, `0x` optional); null where the text is none. Errors of the library may
 * quote the key, so this function does not pass them on.
 */
export const accountOf = (privateKey: string): PrivateKeyAccount | null => {
  if (!KEY.test(privateKey)) return null;
  try {
    return privateKeyToAccount(`0x${privateKey.slice(-64)}`);
  } catch {
    return null; // zero, or not below the order of the curve
  }
};
