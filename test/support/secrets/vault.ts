import { randomBytes } from 'node:crypto';
import { type Form, formsOf, formsOfText } from '../canary.ts';

/** The secrets of a run, each under the name of its kind, and its possible spellings. */
export type Vault = {
  /**
   * Records a secret and returns it. For `prefix_rest` the search uses the rest, for a UUID or a page the whole value.
   */
  keep(name: string, secret: string): string;
  /** Creates a secret of 192 bits that is unique in this run. */
  make(name: string, prefix?: string): string;
  kinds(): string[];
  secrets(): { name: string; secret: string; forms: Form[] }[];
};

/** An empty vault. */
export function openVault(): Vault {
  const entries: ReturnType<Vault['secrets']> = [];
  const keep = (name: string, secret: string) => {
    if (secret.length < 16) throw new Error(`${name} is no secret to look for: ${secret}`);
    entries.push({ name, secret, forms: spellings(secret) });
    return secret;
  };
  return {
    keep,
    make: (name, prefix = '') => keep(name, `${prefix}${randomBytes(24).toString('base64url')}`),
    kinds: () => [...new Set(entries.map(({ name }) => name))],
    secrets: () => entries,
  };
}

const spellings = (secret: string): Form[] => {
  const hex = /^0x([0-9a-f]{64})$/i.exec(secret)?.[1];
  return hex ? formsOf(hex) : formsOfText(secret.replace(/^.*_secret_|^([a-z]+_)+/, ''));
};
