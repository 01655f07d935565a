/** How connections to the database are protected; `auto` follows the address, then PGSSLMODE, then the server. */
export type TlsChoice = {
  mode: 'auto' | 'require' | 'verify-full' | 'off';
  /** A PEM file with the certificates of who may sign the server's; by default those of Node. */
  ca?: string | undefined;
  /** PGSSLMODE. */
  environment?: string | undefined;
};

/**
 * The modes of a connection: no TLS; TLS without a check of the certificate, which is libpq's `require`; TLS with one.
 */
export type TlsMode = 'disable' | 'no-verify' | 'verify-full';

/** The modes that an address or PGSSLMODE may name. `verify-ca` checks the server's name as well. Null: the server decides. */
export const tlsModes: Readonly<Record<string, TlsMode | null>> = {
  disable: 'disable',
  allow: null,
  prefer: null,
  require: 'no-verify',
  'no-verify': 'no-verify',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
};

/** Whether a text names a mode. */
export const isTlsMode = (text: string): boolean => Object.hasOwn(tlsModes, text);
