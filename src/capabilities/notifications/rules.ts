import type { components } from '../../contract/types.ts';

/** A notification that an app requests. */
export type Notification = components['schemas']['NotificationRequest'];

/** Whether a notification names no recipient and no event. */
export const isEmpty = ({ user_id, email, fanout_event }: Notification): boolean =>
  user_id === undefined && email === undefined && fanout_event === undefined;

/**
 * The data of a fan-out event: the app's payload and the checked user id, which overrides a `user_id` of the payload.
 */
export const fanoutData = ({ payload = {}, user_id }: Notification): Record<string, unknown> =>
  user_id === undefined ? payload : { ...payload, user_id };

/** Puts a subject on one line: control characters could start another mail header. */
export const oneLine = (subject: string): string => subject.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
