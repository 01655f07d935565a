import { fitsAround } from './checks.ts';
import { blank, quantityOf } from './positions.ts';
import { rest } from './resting.ts';
import type { BracketRequest, Exits, Side } from './signal.ts';
import type { Account, Order, Position, Verdict, World } from './world.ts';
import { record, rejected, took, worthOf } from './world.ts';

/**
 * Adds a bracket to the open position of its pair. Older brackets stay. Without a size it covers the whole position. The
 * newest builds execute one whose price is reached already.
 */
export const addBracket = (
  world: World,
  account: Account,
  pairId: string,
  requested: BracketRequest & { uuid: string },
): Verdict => {
  const position = account.open.get(pairId);
  if (!position) return rejected(`Bracket order must have an open position in ${pairId}`);
  if (world.style === '2025' && !fits(requested, position))
    return rejected('Bracket order must specify prices on the right sides of the position');
  const order = bracketOf(account, position, requested);
  rest(world, account, order);
  record(world, account, 'bracket', order);
  return took(order);
};

/**
 * Places the brackets of a filled order, named `<uuid>-bracket-<i>`. Returns the venue's text if one of them is invalid
 * for the position; then none is placed.
 */
export const addBrackets = (world: World, account: Account, filled: Order): string | null => {
  const position = account.open.get(filled.pair.id);
  const wanted = bracketsOf(filled);
  if (wanted.length === 0) return null;
  if (!position) return null;
  const invalid = wanted.findIndex((bracket) => !fits(bracket, position));
  if (invalid >= 0) return invalidExits(filled, invalid, position);
  for (const [index, bracket] of wanted.entries()) {
    addBracket(world, account, filled.pair.id, { ...bracket, uuid: `${filled.uuid}-bracket-${index}` });
  }
  return null;
};

const invalidExits = ({ uuid }: Order, index: number, { quantity, pair }: Position): string =>
  `Invalid ${quantity > 0 ? 'LONG' : 'SHORT'} bracket order [${uuid}-bracket-${index}]: ` +
  `the exits must surround reference_price (${pair.price})`;

/** Whether a price triggers a bracket, which closes the covered position. */
export const isHit = (exits: Exits & { best: number }, long: boolean, price: number): boolean => {
  const fell = (level: number) => (long ? price <= level : price >= level);
  const { stopLoss, takeProfit, trailing, best } = exits;
  if (stopLoss !== null && fell(stopLoss)) return true;
  if (takeProfit !== null && (long ? price >= takeProfit : price <= takeProfit)) return true;
  if (trailing === null) return false;
  const distance = 'percent' in trailing ? best * trailing.percent : trailing.distance;
  return fell(long ? best - distance : best + distance);
};

const fits = (requested: BracketRequest, position: Position): boolean =>
  fitsAround(requested, position.quantity > 0, position.pair.price);

/** The entries of an order win over its own exits. */
const bracketsOf = ({ brackets, stopLoss, takeProfit, trailing }: Order): BracketRequest[] => {
  const attached = { uuid: null, size: null, stopLoss, takeProfit, trailing };
  return brackets.length > 0 || (stopLoss === null && takeProfit === null && trailing === null) ? brackets : [attached];
};

const bracketOf = (account: Account, position: Position, requested: BracketRequest & { uuid: string }): Order => {
  const { pair } = position;
  const side: Side = position.quantity > 0 ? 'SHORT' : 'LONG';
  const covered = requested.size ? quantityOf(account, pair, requested.size, side, pair.price) : -position.quantity;
  return {
    ...blank,
    ...requested,
    pair,
    side,
    execution: 'BRACKET',
    quantity: covered,
    value: worthOf(pair, covered),
    leverage: 0,
    price: 0,
    source: 0,
    processedMs: Date.now(),
  };
};
