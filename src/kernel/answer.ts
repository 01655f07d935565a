/**
 * What a party said, in four kinds. Adapters return one of these and decide nothing;
 * the recorders of outcomes decide what it means for us.
 */
export type Answer<T> = Accepted<T> | Rejected | Unreachable | InDoubt;

/** The party said yes; `said` is what it reported. */
export type Accepted<T> = { kind: 'accepted'; said: T };

/** The party said no and provably did nothing. `slug` is a stable lower-case word of ours, never the party's own text. */
export type Rejected = { kind: 'rejected'; slug: string; message: string; retryAfterS?: number };

/** No byte of the request can have reached the party: sending again is safe. */
export type Unreachable = { kind: 'unreachable'; why: string };

/** The party may have acted. Look before anything else. */
export type InDoubt = { kind: 'in_doubt'; why: string };

/** The result of looking something up at a party. `absent` is the party's word that it holds nothing of that name. */
export type Lookup<T> = { kind: 'found'; said: T } | { kind: 'absent' } | { kind: 'unreadable'; why: string };

export const accepted = <T>(said: T): Accepted<T> => ({ kind: 'accepted', said });
export const rejected = (slug: string, message: string, retryAfterS?: number): Rejected =>
  retryAfterS === undefined ? { kind: 'rejected', slug, message } : { kind: 'rejected', slug, message, retryAfterS };
export const unreachable = (why: string): Unreachable => ({ kind: 'unreachable', why });
export const inDoubt = (why: string): InDoubt => ({ kind: 'in_doubt', why });
export const found = <T>(said: T): Lookup<T> => ({ kind: 'found', said });
export const absent: Lookup<never> = { kind: 'absent' };
export const unreadable = (why: string): Lookup<never> => ({ kind: 'unreadable', why });
