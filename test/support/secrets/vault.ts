import { randomBytes } from 'node:crypto';
import { type Form, formsOf, formsOfText } from '../canary.ts';

/** The secrets of a run, each under the name of its kind, and every way it may be spelt. */
export type Vault = {
  /** Keeps a secret and gives it back. Of `prefix_rest` the rest is looked for, of a UUID or a page nothing is left out. */
  keep(name: string, secret: string): string;
  /** Makes a secret of 192 bits that only this run has. */
  make(name: string, prefix?: string): string;
  kinds(): string[];
  secrets(): { name: string; secret: string; forms: Form[] }[];
};

export function openVault(): Vault {
  const kept: ReturnType<Vault['secrets']> = [];
  const keep = (name: string, secret: string) => {
    if (secret.length < 16) throw new Error(`${name} is no secret to look for: ${secret}`);
    kept.push({ name, secret, forms: spellings(secret) });
    return secret;
  };
  return {
    keep,
    make: (name, prefix = '') => keep(name, `${prefix}${randomBytes(24).toString('base64url')}`),
    kinds: () => [...new Set(kept.map(({ name }) => name))],
    secrets: () => kept,
  };
}

const spellings = (secret: string): Form[] => {
  const hex = /^0x([0-9a-f]{64})$/i.exec(secret)?.[1];
  return hex ? formsOf(hex) : formsOfText(secret.replace(/^.*_secret_|^([a-z]+_)+/, ''));
};
