/**
 * The result of a write at an upstream, in four kinds. Adapters return one and decide nothing; `record` of the verb
 * decides.
 */
export type UpstreamResult<T> = Accepted<T> | Rejected | Unreachable | UnknownEffect;

/** The upstream accepted the request; `data` is what it reported. */
export type Accepted<T> = { kind: 'accepted'; data: T };

/**
 * The upstream rejected the request and provably did nothing. `slug` is a stable lower-case code of ours. `words`: the upstream's own text, cleaned,
 * if the reason has no code. `address`: the wallet that the text names, in lower case.
 */
export type Rejected = {
  kind: 'rejected';
  slug: string;
  message: string;
  retryAfterS?: number;
  words?: string;
  address?: string;
};

/**
 * The rejection of this request according to the upstream's own record: nothing was done. Only a reader of records
 * makes one, never the response to a call: the rejection of a call proves nothing about an earlier one.
 */
export type RecordedRejection = Rejected & { recorded: true };

/** No byte of the request can have reached the upstream. Sending again is safe. */
export type Unreachable = { kind: 'unreachable'; why: string };

/**
 * The upstream may have acted: reconcile before anything else. `acknowledged`: it received the request without
 * reporting the outcome, so a read may prove it at once. `ended`: it has responded and no longer works on the request.
 * `againInMs`: when a later read can prove more. `rarely`: reads have caught up, so that a later one will hardly prove more.
 */
export type UnknownEffect = {
  kind: 'unknown';
  why: string;
  acknowledged?: true;
  ended?: true;
  againInMs?: number;
  rarely?: boolean;
};

/** The result of a read at an upstream. `absent`: the upstream reports that it has no such object. */
export type ReadResult<T> = ListResult<T> | { kind: 'absent' };

/** The result of reading a list, which may be empty but is never absent. */
export type ListResult<T> = Found<T> | Unreadable;

/** What an upstream has. */
export type Found<T> = { kind: 'found'; data: T };

/** A read that failed. */
export type Unreadable = { kind: 'unreadable'; why: string };

/** Makes an `Accepted`. */
export const accepted = <T>(data: T): Accepted<T> => ({ kind: 'accepted', data });
/** Makes a `Rejected`. */
export const rejected = (slug: string, message: string, retryAfterS?: number): Rejected =>
  retryAfterS === undefined ? { kind: 'rejected', slug, message } : { kind: 'rejected', slug, message, retryAfterS };
/** Makes a `RecordedRejection` from a record that was found at the upstream. */
export const recordedRejection = ({
  slug,
  message,
  words,
}: Pick<Rejected, 'slug' | 'message' | 'words'>): RecordedRejection => ({
  kind: 'rejected',
  slug,
  message,
  recorded: true,
  ...(words !== undefined && { words }),
});
/** Makes an `Unreachable`. `why` is for logs. */
export const unreachable = (why: string): Unreachable => ({ kind: 'unreachable', why });
/** Makes an `UnknownEffect`. `why` is for logs. */
export const unknownEffect = (why: string): UnknownEffect => ({ kind: 'unknown', why });
/** Makes an `UnknownEffect` of a request to which the upstream has responded in words that prove nothing. */
export const inconclusive = (why: string): UnknownEffect => ({ kind: 'unknown', why, ended: true });
/** Makes an `UnknownEffect` of a request that the upstream acknowledged. */
export const acknowledged = (why: string): UnknownEffect => ({ kind: 'unknown', why, acknowledged: true });
/** Makes a `ReadResult` with data. */
export const found = <T>(data: T): Found<T> => ({ kind: 'found', data });
/** The `ReadResult` of an object that does not exist. */
export const absent: ReadResult<never> = { kind: 'absent' };
/** Makes a `ReadResult` of a failed read. `why` is for logs. */
export const unreadable = (why: string): Unreadable => ({ kind: 'unreadable', why });
