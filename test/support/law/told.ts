import { type ErrorCode, errors } from '../../../src/kernel/error-codes.ts';
import type { Ask, Data } from '../identity.ts';
import { eventually } from '../money.ts';

/** The error that an intent ended with, in the form of a response: callers that did not wait read it there. */
export async function problemOf(ask: Ask, intentId: string): Promise<Data> {
  const { body } = await eventually(async () => {
    const reply = await ask('GET', `/v2/intents/${intentId}`);
    return reply.body.problem && reply;
  });
  const code = body.problem.code as ErrorCode; // as: the contract says so
  const [status, title] = errors[code];
  const headers = new Headers({ 'Content-Type': 'application/problem+json' });
  if (body.problem.retry_after_s) headers.set('Retry-After', String(body.problem.retry_after_s));
  return { status, headers, body: { type: `/docs/errors#${code}`, title, status, error: body.problem } };
}
