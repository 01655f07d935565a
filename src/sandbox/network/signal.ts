const EXECUTIONS = ['MARKET', 'LIMIT', 'STOP_LIMIT', 'BRACKET', 'LIMIT_CANCEL', 'LIMIT_EDIT', 'FLAT_ALL'] as const;
const SIZES = ['leverage', 'value', 'quantity'] as const;
const SIDES = ['LONG', 'SHORT', 'FLAT'] as const;
const CONDITIONS = ['GTE', 'LTE'] as const;

export type Execution = (typeof EXECUTIONS)[number];
export type Side = (typeof SIDES)[number];
export type Size = { by: (typeof SIZES)[number]; amount: number };
export type Trailing = { percent: number } | { distance: number };

/** Prices that close a position. */
export type Exits = { stopLoss: number | null; takeProfit: number | null; trailing: Trailing | null };
export type BracketRequest = Exits & { uuid: string | null; size: Size | null };

/** A signal that passed the miner's checks. `uuid` may be a list or `ALL` if the command allows it. */
export type Requested = Exits & {
  uuid: string;
  accountId: number;
  execution: Execution;
  pair: string | null;
  side: Side | null;
  size: Size | null;
  limitPrice: number | null;
  stopPrice: number | null;
  stopCondition: (typeof CONDITIONS)[number] | null;
  brackets: BracketRequest[];
};

/** Thrown for a body that the miner rejects without asking the validator. Its message is the miner's `error`. */
export class MalformedSignal extends Error {}

type Body = Record<string, unknown>;

/** Reads the signal of a request body. Throws `MalformedSignal`. See venues/network.md#submit-order. */
export const readSignal = (json: unknown): Requested => {
  if (typeof json !== 'object' || json === null) throw new MalformedSignal('Invalid request: missing JSON body');
  const body = json as Body; // as: an object, and every member is checked
  const requested: Requested = {
    uuid: String(body.order_uuid ?? crypto.randomUUID()),
    accountId: Number(body.subaccount_id),
    execution: oneOf(EXECUTIONS, String(body.execution_type ?? 'MARKET').toUpperCase(), 'execution_type'),
    pair: readPair(body.trade_pair),
    side: body.order_type === undefined ? null : oneOf(SIDES, body.order_type, 'order_type'),
    size: readSize(body),
    limitPrice: positive(body.limit_price, 'limit_price'),
    stopPrice: positive(body.stop_price, 'stop_price'),
    stopCondition: body.stop_condition === undefined ? null : oneOf(CONDITIONS, body.stop_condition, 'stop_condition'),
    ...readExits(body, trailingOf(body.trailing_stop)),
    brackets: [body.bracket_orders ?? []].flat().map(readBracket),
  };
  return requested.execution === 'BRACKET' ? withSingleBracket(requested) : requested;
};

const readBracket = (entry: unknown): BracketRequest => {
  const bracket = Object(entry) as Body; // as: every member is checked
  const uuid = bracket.order_uuid === undefined ? null : String(bracket.order_uuid);
  return { uuid, size: readSize(bracket), ...readExits(bracket, trailingOf(bracket)) };
};

/** A BRACKET order may have its prices in its single entry instead. */
const withSingleBracket = (requested: Requested): Requested => {
  const [only, ...others] = requested.brackets;
  if (others.length > 0) throw invalid('Bracket order must specify exactly one entry');
  if (!only) return requested;
  const { stopLoss, takeProfit, trailing, size } = only;
  return { ...requested, stopLoss, takeProfit, trailing, size: size ?? requested.size, brackets: [] };
};

const readExits = (body: Body, trailing: Trailing | null): Exits => ({
  stopLoss: positive(body.stop_loss, 'stop_loss'),
  takeProfit: positive(body.take_profit, 'take_profit'),
  trailing,
});

const readSize = (body: Body): Size | null => {
  const given = SIZES.filter((name) => body[name] !== undefined && body[name] !== null);
  if (given.length > 1) throw invalid('must provide exactly one of: leverage, value, or quantity');
  const [by] = given;
  if (!by) return null;
  const amount = Number(body[by]);
  if (!Number.isFinite(amount) || amount === 0) throw invalid(`${by} must be a number`);
  return { by, amount };
};

const readPair = (value: unknown): string | null => {
  const pair = typeof value === 'object' && value !== null ? (value as Body).trade_pair_id : value; // as: checked below
  return typeof pair === 'string' ? pair : null;
};

const trailingOf = (value: unknown): Trailing | null => {
  const stop = Object(value) as Body; // as: every member is checked
  const percent = positive(stop.trailing_percent, 'trailing_percent');
  const distance = positive(stop.trailing_value, 'trailing_value');
  if (percent && distance) throw invalid('trailing_stop takes trailing_percent or trailing_value');
  if (percent && percent >= 1) throw invalid('trailing_percent must be below 1');
  if (percent) return { percent };
  return distance ? { distance } : null;
};

const positive = (value: unknown, name: string): number | null => {
  if (value === undefined || value === null) return null;
  const number = Number(value);
  if (!(Number.isFinite(number) && number > 0)) throw invalid(`${name} must be positive`);
  return number;
};

const oneOf = <V extends string>(values: readonly V[], value: unknown, name: string): V => {
  const found = values.find((candidate) => candidate === value);
  if (!found) throw invalid(`unknown ${name}`);
  return found;
};

/** A format error with the miner's wording. */
export const invalid = (what: string): MalformedSignal => new MalformedSignal(`Invalid signal data: ${what}`);
