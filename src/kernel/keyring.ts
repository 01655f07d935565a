const KEY_BYTES = 32;

/** One key of a keyring. */
export type KeyringEntry = { id: string; key: Buffer };

/**
 * Reads a keyring: `id:base64` of 32 bytes each, separated by commas, all ids and keys different. Throws if it is invalid; no
 * error contains a key.
 */
export function readKeyring(text: string): [KeyringEntry, ...KeyringEntry[]] {
  const entries = text.split(',').map(readEntry);
  const isUnique = (values: string[]) => new Set(values).size === values.length;
  if (!isUnique(entries.map(({ id }) => id)) || !isUnique(entries.map(({ key }) => key.toString('hex'))))
    throw new Error('The keys of a keyring and their ids must be different');
  const [first, ...others] = entries;
  return [first as KeyringEntry, ...others]; // as: splitting gives at least one entry
}

/** Whether a text is a keyring. */
export function isKeyring(text: string): boolean {
  try {
    readKeyring(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a keyring has a key that is not random: all its bytes are the same. */
export const hasBlankKey = (text: string): boolean => readKeyring(text).some(({ key }) => new Set(key).size === 1);

function readEntry(entry: string): KeyringEntry {
  const [, id, text = ''] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(entry) ?? [];
  const key = Buffer.from(text, 'base64');
  if (!id || key.length !== KEY_BYTES) throw new Error('A key of a keyring is id:base64 of 32 bytes');
  return { id, key };
}
