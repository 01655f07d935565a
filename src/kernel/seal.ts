import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { readKeyring } from './keyring.ts';

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12; // NIST SP 800-38D, section 8.2.2: random nonces serve up to 2^32 seals under one key
const TAG_BYTES = 16;

/** The database cell of a sealed value. A value sealed for one cell cannot be opened for another. */
export type SealContext = { table: string; row: string; column: string };

/** Seals and opens values with the keys of a keyring. */
export type Sealer = {
  /** The id of the key that seals. */
  activeKeyId: string;
  /** Seals with the active key. Format: version, length of the key id, key id, nonce, tag, ciphertext. */
  seal(plain: string | Uint8Array, context: SealContext): Buffer;
  /**
   * Opens a value sealed for this context with any key of the ring. Throws for tampering, a wrong context or an unknown
   * key.
   */
  open(sealed: Uint8Array, context: SealContext): Buffer;
  /** Whether a value was sealed with another key than the active one. */
  needsReseal(sealed: Uint8Array): boolean;
  /**
   * HMACs of a short secret for a context, one per key of the ring, the active key's first. Store the first and compare
   * with all. Without the keyring nobody can find the secret by trying values.
   */
  hmacs(plain: string, context: SealContext): [Buffer, ...Buffer[]];
};

/**
 * Reads a keyring: `id:base64key`, separated by commas, the first one active. Throws if it is invalid; no error
 * contains a key.
 */
export function sealer(keys: string): Sealer {
  const entries = readKeyring(keys);
  const activeKeyId = entries[0].id;
  const ring = new Map(entries.map(({ id, key }) => [id, createSecretKey(key)])); // Node takes four times as long with a buffer
  const keyOf = (id: string) => {
    const key = ring.get(id);
    if (!key) throw new Error(`The keyring has no key ${id}`);
    return key;
  };
  return {
    activeKeyId,
    seal: (plain, context) => seal(activeKeyId, keyOf(activeKeyId), plain, context),
    open: (sealed, context) => {
      const parts = partsOf(sealed);
      return open(parts, keyOf(parts.keyId), context);
    },
    needsReseal: (sealed) => partsOf(sealed).keyId !== activeKeyId,
    hmacs: (plain, context) => {
      const [first, ...others] = [...ring].map(([id, key]) => hmac(id, key, plain, context));
      return [first as Buffer, ...others]; // as: the ring holds at least the active key
    },
  };
}

/** A new entry for a keyring: a random id and 256 random bits. */
export const newSealingKey = (): string =>
  `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;

function seal(keyId: string, key: KeyObject, plain: string | Uint8Array, context: SealContext): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(keyId, context));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([
    Buffer.from([VERSION, keyId.length]),
    Buffer.from(keyId),
    nonce,
    cipher.getAuthTag(),
    ciphertext,
  ]);
}

const hmac = (keyId: string, key: KeyObject, plain: string, context: SealContext) =>
  createHmac('sha256', key).update('mark').update(associatedData(keyId, context)).update('\0').update(plain).digest();

type Parts = { keyId: string; nonce: Buffer; tag: Buffer; ciphertext: Buffer };

function partsOf(sealed: Uint8Array): Parts {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const nonceAt = 2 + (bytes[1] ?? 0);
  const tagAt = nonceAt + NONCE_BYTES;
  const ciphertextStart = tagAt + TAG_BYTES;
  if (bytes[0] !== VERSION || bytes.length < ciphertextStart) throw new Error('Not a sealed value');
  return {
    keyId: bytes.subarray(2, nonceAt).toString('latin1'),
    nonce: bytes.subarray(nonceAt, tagAt),
    tag: bytes.subarray(tagAt, ciphertextStart),
    ciphertext: bytes.subarray(ciphertextStart),
  };
}

function open({ keyId, nonce, tag, ciphertext }: Parts, key: KeyObject, context: SealContext): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(keyId, context));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

/** The associated data. It is unambiguous because JSON delimits its members. */
const associatedData = (keyId: string, { table, row, column }: SealContext) =>
  Buffer.from(JSON.stringify([VERSION, keyId, table, row, column]));
