import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import type { AppId } from './ids.ts';
import { type KeyringEntry, readKeyring } from './keyring.ts';

const SEED_BYTES = 32;
/** The PKCS #8 encoding of an Ed25519 key up to its seed (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The head of an app's chain of signatures: the position and row hash of its newest row. The position is called `place`
 * because receipts that apps keep name it so.
 */
export type Head = { app_id: AppId; place: number; row_hash: string };

/** A public key as a JWK (RFC 8037, section 2). */
export type PublicKey = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; use: 'sig'; alg: 'EdDSA' };

/** Signs heads of chains with Ed25519. */
export type HeadSigner = {
  /** The signature of the first key over a head, in base64url, and the id of that key. */
  sign(head: Head): { signed_head: string; key_id: string };
  /** The public keys of the ring, the signing one first. */
  publicKeys: PublicKey[];
};

/**
 * Reads a keyring: `id:base64` of 32-byte Ed25519 seeds, separated by commas, the first one signs. Throws if it is
 * invalid; no error contains a key.
 */
export function headSigner(keys: string): HeadSigner {
  const ring = readKeyring(keys);
  const key_id = ring[0].id;
  const key = privateKeyOf(ring[0]);
  return {
    sign: (head) => ({ signed_head: sign(null, bytesOf(head), key).toString('base64url'), key_id }),
    publicKeys: ring.map((entry) => publicKeyOf(entry.id, privateKeyOf(entry))),
  };
}

/** Whether one of these public keys signed a head. False for an unknown key. */
export function isSignedHead(
  head: Head,
  { signed_head, key_id }: { signed_head: string; key_id: string },
  keys: readonly Pick<PublicKey, 'kid' | 'x'>[],
): boolean {
  const found = keys.find(({ kid }) => kid === key_id);
  if (!found) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found.x }, format: 'jwk' });
  return verify(null, bytesOf(head), key, Buffer.from(signed_head, 'base64url'));
}

/** A new entry for a keyring: a random id and a random seed. */
export const newHeadKey = (): string =>
  `h${randomBytes(4).toString('hex')}:${randomBytes(SEED_BYTES).toString('base64')}`;

const bytesOf = ({ app_id, place, row_hash }: Head) =>
  Buffer.from(['agreement-head/1', app_id, place, row_hash].join('\n'));

const privateKeyOf = ({ key: seed }: KeyringEntry) =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });

const publicKeyOf = (kid: string, key: KeyObject): PublicKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: String(createPublicKey(key).export({ format: 'jwk' }).x),
  kid,
  use: 'sig',
  alg: 'EdDSA',
});
