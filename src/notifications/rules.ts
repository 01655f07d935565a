/** What an app asks to be sent. */
export type Notification = {
  user_id?: string;
  email?: string;
  subject: string;
  html: string;
  text?: string;
  fanout_event?: string;
  payload?: Record<string, unknown>;
};

/** Whether nobody is named to be told anything. */
export const isEmpty = ({ user_id, email, fanout_event }: Notification): boolean =>
  user_id === undefined && email === undefined && fanout_event === undefined;

/** What a fan-out carries: the app's payload, and the user it was authorised against, which no payload can claim. */
export const fanoutData = ({ payload = {}, user_id }: Notification): Record<string, unknown> =>
  user_id === undefined ? payload : { ...payload, user_id };

/** A subject is one line: control characters could begin a header of their own. */
export const oneLine = (subject: string): string => subject.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
