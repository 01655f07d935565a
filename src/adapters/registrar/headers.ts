import { parseJson } from '../http.ts';

/** A payment message as x402 carries it in a header: JSON in base64 (x402 v2, HTTP transport). */
export const encodeHeader = (message: object): string => Buffer.from(JSON.stringify(message)).toString('base64');

/** The message of such a header; undefined where there is none, or none that can be read. */
export const decodeHeader = (header: string | string[] | undefined): unknown =>
  typeof header === 'string' ? parseJson(Buffer.from(header, 'base64').toString('utf8')) : undefined;
