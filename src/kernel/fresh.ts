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

/**
 * As `fresh`, for one thing that changes seldom: an answer older than `freshMs` is given once more, at once, while a new one
 * is fetched behind it. None older than `staleMs` is given.
 */
export function steady<Result extends Asked>(freshMs: number, staleMs: number, read: () => Promise<Result>) {
  const shared = fresh(freshMs, read);
  let known: { at: number; result: Result } | undefined;
  const renew = async (): Promise<Result> => {
    const result = await shared('');
    if (result.kind !== 'unreadable' && known?.result !== result) known = { at: Date.now(), result };
    return result;
  };
  return (): Promise<Result> => {
    const age = known ? Date.now() - known.at : Number.POSITIVE_INFINITY;
    if (!known || age > staleMs) return renew();
    if (age > freshMs) renew().catch(() => {}); // who needs it next asks again
    return Promise.resolve(known.result);
  };
}
