import { type Answer, unreachable } from '../../kernel/answer.ts';
import { type HttpClient, parseJson } from '../http.ts';
import { pauseOf, postAnswer } from './answers.ts';
import type { Budget } from './budget.ts';
import { fieldsOf, textOf } from './fields.ts';
import type { Gates } from './gates.ts';
import type { Posted, PostLimits } from './types.ts';

/** The venue answers within a second or not at all; below the expiry of any action we sign. */
const POST_MS = 10_000;
/** Venue facts: rate limits, the weight of an action of n items is 1 + floor(n / 40). */
const ITEMS_PER_WEIGHT = 40;

/**
 * Posts signed bodies below a base address, each exactly once, and waits for the budget no longer than the call may last.
 * Not sent for want of budget is `unreachable`.
 */
export const posterTo =
  (url: string, send: HttpClient, budget: Budget, gates: Gates) =>
  async (body: string, limits: PostLimits): Promise<Answer<Posted>> => {
    const { timeoutMs = POST_MS, notAfter = Date.now() + timeoutMs, signal, account, firstSend } = limits;
    const { items, cancels, isBare } = readOwn(body);
    if (account && !(await gates.pass(account, cancels, notAfter, signal))) return unreachable('ACTION_BUDGET');
    const weight = 1 + Math.floor(items / ITEMS_PER_WEIGHT);
    const priority = cancels ? 'cancel' : 'write';
    if (!(await budget.take({ weight, priority, untilMs: notAfter, signal }))) return unreachable('BUDGET');
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const reply = await send({ method: 'POST', url: `${url}/exchange`, headers, body, timeoutMs, signal, notAfter });
    if (reply.kind === 'response' && reply.status === 429) budget.halt(pauseOf(reply.headers) * 1_000);
    const answer = postAnswer(reply, { items: isBare ? 0 : items, firstSend });
    if (answer.kind === 'rejected' && answer.slug === 'action_budget' && account)
      gates.close(account, cancels, (answer.retryAfterS ?? 0) * 1_000);
    return answer;
  };

/** What one of our own bodies asks for. Throws for a text that is none of them, and never with that text. */
const readOwn = (body: string): { items: number; cancels: boolean; isBare: boolean } => {
  const action = fieldsOf(fieldsOf(parseJson(body))?.action);
  const type = textOf(action?.type);
  if (!action || !type) throw new TypeError('not a signed action');
  const list = [action.orders, action.cancels, action.modifies].find(Array.isArray);
  return { items: list?.length ?? 1, cancels: type === 'cancel' || type === 'cancelByCloid', isBare: !list };
};
