import { parseJson } from '../http.ts';

/** Encodes a payment message for an x402 header: JSON in base64 (x402 v2, HTTP transport). */
export const encodeHeader = (message: object): string => Buffer.from(JSON.stringify(message)).toString('base64');

/** Decodes such a header. Returns undefined for a missing or unreadable header. */
export const decodeHeader = (header: string | string[] | undefined): unknown =>
  typeof header === 'string' ? parseJson(Buffer.from(header, 'base64').toString('utf8')) : undefined;
