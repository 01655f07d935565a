import { parseJson, type Reply } from '../../../adapters/http.ts';
import { absent, found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';
import { rejectedOurKey } from './rejections.ts';

/** 401 and 403 come from the key check, before the request has any effect. */
export const isOurKeyRejected = (status: number): boolean => status === 401 || status === 403;

/**
 * The JSON object of a successful read, or why there is none. `absent` only for a 404 whose text says what is missing: a page of a proxy, a
 * route that is not there, and data that is not there yet say nothing of the object. See venues/network-validator.md#validator-rest.
 */
export const readResponse = (reply: Reply): ReadResult<Fields> => {
  if (reply.kind !== 'response') return unreadable(reply.why);
  const body = fieldsOf(parseJson(reply.text));
  if (isOurKeyRejected(reply.status)) return unreadable(rejectedOurKey.slug);
  if (!body) return unreadable(`unreadable body, status ${reply.status}`);
  if (reply.status === 404 && saysWhatIsMissing(body)) return absent;
  return reply.status === 200 ? found(body) : unreadable(`status ${reply.status}`);
};

const saysWhatIsMissing = ({ error, message }: Fields): boolean => {
  const text = textOf(error) ?? textOf(message);
  return text !== null && !OF_NOTHING.test(text);
};

const OF_NOTHING = /^(404:? ?)?((resource|route|page|path) )?not found\W*$|requested url|not available/i;
