import { z } from 'zod';

const amount = z.string().nullable();
const side = z.enum(['long', 'short']);
const triggerStatus = z.enum(['not_requested', 'pending_parent_fill', 'placed', 'partial_failure', 'failed']);

/** Schema of the terms of an order. */
export const terms = z.object({
  pair: z.string(),
  side,
  size: z.string(),
  size_in_usd: z.boolean(),
  order_type: z.enum(['market', 'limit']),
  price: amount,
  time_in_force: z.enum(['gtc', 'ioc', 'alo']),
  reduce_only: z.boolean(),
  take_profit: amount,
  stop_loss: amount,
  leverage: z.number().nullable(),
  is_cross: z.boolean().nullable(),
  max_slippage: z.string(),
});

/** The recorded result of an order or a closing. */
export const orderResult = z.object({
  ex_order_id: z.string().nullable(),
  order_id: z.string().nullable(),
  client_order_id: z.string().nullable(),
  pair: z.string(),
  side: side.nullable(),
  size: amount,
  filled_size: amount,
  order_type: z.enum(['market', 'limit']),
  status: z.enum(['pending', 'open', 'partial', 'filled', 'cancelled', 'rejected']),
  fill_price: amount,
  limit_price: amount,
  take_profit: amount,
  stop_loss: amount,
  tp_order_id: z.string().nullable(),
  sl_order_id: z.string().nullable(),
  trigger_status: triggerStatus,
  trigger_error: z.string().nullable(),
  created_at: z.string(),
});

/** Schema of the execution report that is stored with an order. */
export const report = orderResult.pick({
  ex_order_id: true,
  status: true,
  size: true,
  filled_size: true,
  fill_price: true,
  limit_price: true,
  tp_order_id: true,
  sl_order_id: true,
  trigger_status: true,
  trigger_error: true,
});

/** The recorded result of a command about the exits of a position. */
export const exitsResult = z.object({
  pair: z.string(),
  tp_order_id: z.string().nullable(),
  sl_order_id: z.string().nullable(),
  trigger_status: triggerStatus,
  trigger_error: z.string().nullable(),
  take_profit: amount,
  stop_loss: amount,
});

/** The recorded result of a cancellation. */
export const cancellationResult = z.object({
  status: z.enum(['ok', 'partial', 'not_found', 'already_closed', 'pending']),
  message: z.string(),
  total_open_orders: z.number(),
  cancelled_count: z.number(),
  failed_count: z.number(),
  results: z.array(
    z.object({
      order_id: z.string().nullable(),
      ex_order_id: z.string().nullable().default(null),
      exits_cancelled: z.array(z.string()).default([]),
      pair: z.string().nullable(),
      status: z.enum(['cancelled', 'not_found', 'already_closed', 'error']),
      message: z.string(),
    }),
  ),
});
