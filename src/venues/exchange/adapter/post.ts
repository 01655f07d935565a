import { type HttpClient, parseJson } from '../../../adapters/http.ts';
import type { Priority } from '../../../capacity/exchange.ts';
import { type UpstreamResult, unreachable } from '../../../kernel/upstream-result.ts';
import { epochMs, presentWork } from '../../../kernel/work.ts';
import type { Posted, PostLimits } from './action-types.ts';
import type { Budget } from './budget.ts';
import { decimalOf, fieldsOf, hexOf, textOf } from './fields.ts';
import type { AccountPauses } from './pauses.ts';
import { pauseOf, postResponse, type SentItem } from './responses.ts';

/** The venue responds within 1 s or not at all. This is below the expiry of every signed action. */
const POST_MS = 10_000;
/** See venues/exchange.md#rate-limits. The weight of an action with n items is 1 + floor(n / 40). */
const ITEMS_PER_WEIGHT = 40;

/**
 * Creates the function that posts a signed body to a base URL, once per call. It waits for the budget no longer than
 * the call may last. Without budget nothing is sent and the result is `unreachable`.
 */
export const posterTo =
  (url: string, send: Record<Priority, HttpClient>, budget: Budget, pauses: AccountPauses) =>
  async (body: string, limits: PostLimits): Promise<UpstreamResult<Posted>> => {
    const { timeoutMs = POST_MS, notAfter = epochMs() + timeoutMs, signal, account, firstSend } = limits;
    const { items, count, cancels, isExit } = readSigned(body);
    if (account && pauses.isPaused(account, cancels)) return unreachable('ACTION_BUDGET');
    const weight = 1 + Math.floor(count / ITEMS_PER_WEIGHT);
    const priority = isExit || presentWork().isExit ? 'exit' : 'entry';
    const granted = await budget.take({
      weight,
      priority,
      tenant: presentWork().tenant,
      reader: account,
      untilMs: notAfter,
      signal,
    });
    if (!granted) return unreachable('BUDGET');
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = { url: `${url}/exchange`, headers, body, timeoutMs, signal, notAfter };
    const reply = await send[priority]({ method: 'POST', ...request });
    if (reply.kind === 'unsent') budget.charge(-weight);
    if (reply.kind === 'response' && reply.status === 429) budget.halt(pauseOf(reply.headers) * 1_000);
    const response = postResponse(reply, { items, firstSend });
    if (response.kind === 'rejected' && response.slug === 'action_budget' && account)
      pauses.pause(account, cancels, (response.retryAfterS ?? 0) * 1_000);
    return response;
  };

type Signed = { items: SentItem[]; count: number; cancels: boolean; isExit: boolean };

/**
 * Reads the kind and the items of a signed body. `count`: what it weighs. Throws for any other text; the error does not
 * contain the text.
 */
const readSigned = (body: string): Signed => {
  const action = fieldsOf(fieldsOf(parseJson(body))?.action);
  const type = textOf(action?.type);
  if (!action || !type) throw new TypeError('not a signed action');
  const list = [action.orders, action.cancels, action.modifies].find(Array.isArray) ?? null;
  const cancels = type === 'cancel' || type === 'cancelByCloid';
  const reduces = type === 'order' && (list ?? []).every((order) => fieldsOf(order)?.r === true);
  return { items: list?.map(itemOf) ?? [], count: list?.length ?? 1, cancels, isExit: cancels || reduces };
};

const itemOf = (item: unknown): SentItem => {
  const order = fieldsOf(fieldsOf(item)?.order) ?? fieldsOf(item);
  return { cloid: hexOf(order?.c), size: decimalOf(order?.s) };
};
