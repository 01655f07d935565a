import { randomBytes, randomUUID } from 'node:crypto';

const ID_BYTES = 17; // 136 bits: 23 url-safe characters
const SECRET_BYTES = 32; // 256 bits: 43 url-safe characters

/** A new identifier: the prefix, an underscore, and 23 url-safe random characters. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;

/** A new bearer secret: the prefix, an underscore, and 256 random bits. Store only its digest. */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** A UUID of version 7 (RFC 9562, section 5.7): its first 48 bits are the time in milliseconds, so new rows stay together. */
export function newIntentId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  const { length: timeAndVersion } = 'tttttttt-tttt-4';
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(timeAndVersion)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the shape of a UUID, of any version. */
export const isUuid = (text: string): boolean => UUID.test(text);
