import { z } from 'zod';
import { found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { type HttpClient, parseJson } from '../http.ts';
import type { CallLimits } from './types.ts';

/** Sends one request to a node. A response without a result of the expected shape is `unreadable`. */
export type HttpRequest = <T>(
  method: string,
  params: unknown[],
  shape: z.ZodType<T>,
  limits?: CallLimits,
) => Promise<ReadResult<T>>;

/** Bytes or a number as nodes write them: 0x and hex digits. */
export const hex = z.custom<`0x${string}`>((text) => typeof text === 'string' && /^0x[0-9a-f]*$/i.test(text));

/** One word of the chain's ABI: 32 bytes. */
export const word = hex.refine((text) => text.length === 66);

/** A number as nodes write it, parsed. Blocks and times are safe integers. */
export const quantity = hex.transform(Number).refine(Number.isSafeInteger);

const READ_MS = 5_000;
const rpcResponse = (id: number) => z.object({ id: z.literal(id), result: z.unknown() });

/** Creates the client of one node (JSON-RPC 2.0 over HTTP). A response to another request, which its id shows, is unreadable. */
export const nodeAt = (send: HttpClient, url: string): HttpRequest => {
  let id = 0;
  return async (method, params, shape, limits = {}) => {
    id += 1;
    const response = rpcResponse(id);
    const reply = await send({
      timeoutMs: READ_MS,
      ...limits,
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    if (reply.kind !== 'response') return unreadable(reply.why);
    if (reply.status !== 200) return unreadable(`status ${reply.status}`);
    const data = response.safeParse(parseJson(reply.text));
    const result = shape.safeParse(data.data?.result);
    return result.success ? found(result.data) : unreadable(`unreadable response to ${method}`);
  };
};
