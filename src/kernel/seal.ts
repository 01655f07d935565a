import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12; // NIST SP 800-38D, section 8.2.2: random nonces serve up to 2^32 seals under one key
const TAG_BYTES = 16;

/** Where a sealed value lies. A value sealed for one place does not open at another. */
export type Place = { table: string; row: string; column: string };

export type Sealer = {
  activeKeyId: string;
  /** Seals under the active key: version, length of the key's id, the id, nonce, tag, ciphertext. */
  seal(plain: string | Uint8Array, place: Place): Buffer;
  /** Opens what any key of the ring sealed for this place. Throws for tampering, wrong places and unknown keys. */
  open(sealed: Uint8Array, place: Place): Buffer;
  /** Whether a value was sealed under another key than the active one. */
  needsReseal(sealed: Uint8Array): boolean;
  /**
   * Keyed digests of a short secret for a place, one per key of the ring, the active key's first. Store the first and compare
   * with all: without the ring nobody can try out what was digested.
   */
  marks(plain: string, place: Place): [Buffer, ...Buffer[]];
};

/** Reads a keyring, `id:base64key` separated by commas, the first one active. Throws for what is none, never with a key. */
export function sealer(keys: string): Sealer {
  const ring = new Map(keys.split(',').map(readKey));
  const [activeKeyId] = ring.keys();
  if (activeKeyId === undefined) throw new Error('The keyring is empty');
  const keyOf = (id: string) => {
    const key = ring.get(id);
    if (!key) throw new Error(`The keyring has no key ${id}`);
    return key;
  };
  return {
    activeKeyId,
    seal: (plain, place) => seal(activeKeyId, keyOf(activeKeyId), plain, place),
    open: (sealed, place) => {
      const parts = partsOf(sealed);
      return open(parts, keyOf(parts.keyId), place);
    },
    needsReseal: (sealed) => partsOf(sealed).keyId !== activeKeyId,
    marks: (plain, place) => {
      const [first, ...others] = [...ring].map(([id, key]) => mark(id, key, plain, place));
      return [first as Buffer, ...others]; // as: the ring holds at least the active key
    },
  };
}

/** A new entry for a keyring: a random id and 256 random bits. */
export const newSealingKey = (): string =>
  `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;

function readKey(entry: string): [string, Buffer] {
  const [, id, text] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(entry) ?? [];
  const key = Buffer.from(text ?? '', 'base64');
  if (!id || key.length !== KEY_BYTES) throw new Error('A sealing key is id:base64 of 32 bytes');
  return [id, key];
}

function seal(keyId: string, key: Buffer, plain: string | Uint8Array, place: Place): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bound(keyId, place));
  const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION, keyId.length]), Buffer.from(keyId), nonce, cipher.getAuthTag(), hidden]);
}

const mark = (keyId: string, key: Buffer, plain: string, place: Place) =>
  createHmac('sha256', key).update('mark').update(bound(keyId, place)).update('\0').update(plain).digest();

type Parts = { keyId: string; nonce: Buffer; tag: Buffer; hidden: Buffer };

function partsOf(sealed: Uint8Array): Parts {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const nonceAt = 2 + (bytes[1] ?? 0);
  const tagAt = nonceAt + NONCE_BYTES;
  const hiddenAt = tagAt + TAG_BYTES;
  if (bytes[0] !== VERSION || bytes.length < hiddenAt) throw new Error('This is no sealed value');
  return {
    keyId: bytes.subarray(2, nonceAt).toString('latin1'),
    nonce: bytes.subarray(nonceAt, tagAt),
    tag: bytes.subarray(tagAt, hiddenAt),
    hidden: bytes.subarray(hiddenAt),
  };
}

function open({ keyId, nonce, tag, hidden }: Parts, key: Buffer, place: Place): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound(keyId, place));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(hidden), decipher.final()]);
}

/** The associated data: unambiguous, since JSON marks where each word ends. */
const bound = (keyId: string, { table, row, column }: Place) =>
  Buffer.from(JSON.stringify([VERSION, keyId, table, row, column]));
