/** Something a party was asked for, and how it was answered. Only `found` and `absent` are answers worth keeping. */
type Asked = { kind: string };

/**
 * Makes a reader whose callers share: one call under way per key, and its answer again for `freshMs` afterwards. A
 * failed read is never kept.
 */
export function fresh<Result extends Asked>(freshMs: number, read: (key: string) => Promise<Result>) {
  const kept = new Map<string, Promise<Result>>();
  return (key: string): Promise<Result> => {
    const held = kept.get(key);
    if (held) return held;
    const reading = read(key);
    kept.set(key, reading);
    const forget = () => kept.delete(key);
    reading.then((result) => (result.kind === 'unreadable' ? forget() : setTimeout(forget, freshMs).unref()), forget);
    return reading;
  };
}
