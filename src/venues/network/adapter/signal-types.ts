import type { OrderUuid } from '../../../kernel/ids.ts';
import type { Rejected, UpstreamResult } from '../../../kernel/upstream-result.ts';

/** Side of an order or position, in the venue's terms. */
export type OrderType = 'LONG' | 'SHORT' | 'FLAT';
type ExecutionType = 'MARKET' | 'LIMIT' | 'STOP_LIMIT' | 'BRACKET' | 'LIMIT_CANCEL' | 'LIMIT_EDIT' | 'FLAT_ALL';
/** Distance of a trailing stop: in percent, or in units of the price. */
export type TrailingStop = { trailing_percent: number } | { trailing_value: number };
type Prices = 'stop_loss' | 'take_profit' | 'trailing_percent' | 'trailing_value';
/** One exit order of a signal. */
export type Bracket = { order_uuid?: OrderUuid } & Partial<Record<Prices | 'leverage' | 'value' | 'quantity', number>>;

/** The body of the miner's single order route, with the miner's field names. */
export type Signal = {
  order_uuid: OrderUuid;
  subaccount_id: number;
  execution_type: ExecutionType;
  trade_pair?: string;
  order_type?: OrderType;
  leverage?: number;
  value?: number;
  quantity?: number;
  limit_price?: number;
  stop_price?: number;
  stop_condition?: 'GTE' | 'LTE';
  stop_loss?: number;
  take_profit?: number;
  trailing_stop?: TrailingStop;
  bracket_orders?: Bracket[];
};

/** The executed or accepted values. The venue may reduce an order without notice. Null members were not reported. */
export type Executed = {
  order_type: OrderType | null;
  quantity: number | null;
  value: number | null;
  leverage: number | null;
  price: number | null;
};

/** How many attempts of the miner may be behind a response. It speaks for the last one only. */
export type Attempts = 'one' | 'several';

/**
 * The miner accepted a signal. `note` is a warning for the caller (for example: made smaller by a cap). After several
 * attempts the order may have been executed more than once.
 */
export type SignalAccepted = {
  executed: Executed | null;
  processingTimeS: number | null;
  note: string | null;
  attempts: Attempts;
};

/**
 * A rejection that does not prove that nothing happened: an earlier attempt may have had its effect; it says that the target
 * is not there, which an earlier attempt may have caused; its words are unknown, or are also those of a filled order whose
 * exits failed. It must be looked up. `said`: the rejection, if the venue's records show nothing. `endedIt`: by its words
 * the venue ended the order by this command.
 */
export type UnprovenRejection = { kind: 'unproven'; said: Rejected; attempts: Attempts; endedIt: boolean };

/** The response to a signal. */
export type SubmitResult = UpstreamResult<SignalAccepted> | UnprovenRejection;

/**
 * The miner's last record of one uuid. `executionType` is the recorded command: a later cancel or edit overwrites the
 * record of the order. `accepted` is set if that command took effect. `said` is a rejection, which speaks for the last of the
 * miner's attempts and proves nothing by itself. With none of them, the record proves nothing at all.
 */
export type ArchivedOrder = {
  status: 'completed' | 'failed';
  executionType: string | null;
  accepted: SignalAccepted | null;
  said: Rejected | null;
};
