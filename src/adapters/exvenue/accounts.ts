import { compare, minus } from '../../kernel/decimals.ts';
import { decimalOf, everyOf, fieldsOf, hexOf, integerOf, textOf } from './fields.ts';
import type { ActionBudget, Agent, PerpAccount, PerpPosition, SpotBalance } from './types.ts';

/** An account on one dex. Venue facts: clearinghouseState. */
export const readAccount =
  (dex: string) =>
  (json: unknown): PerpAccount | null => {
    const state = fieldsOf(json);
    const summary = fieldsOf(state?.marginSummary);
    const accountValue = decimalOf(summary?.accountValue);
    const totalPositionValue = decimalOf(summary?.totalNtlPos);
    const marginUsed = decimalOf(summary?.totalMarginUsed);
    const withdrawable = decimalOf(state?.withdrawable);
    const positions = everyOf(state?.assetPositions, readPosition);
    const atMs = integerOf(state?.time);
    if (accountValue === null || totalPositionValue === null || marginUsed === null) return null;
    if (withdrawable === null || positions === null || atMs === null) return null;
    return { dex, accountValue, totalPositionValue, marginUsed, withdrawable, positions, atMs };
  };

/** Spot balances; settled outcomes carry no token number. Venue facts: spotClearinghouseState. */
export const readBalances = (json: unknown): SpotBalance[] | null =>
  everyOf(fieldsOf(json)?.balances, (value) => {
    const balance = fieldsOf(value);
    const coin = textOf(balance?.coin);
    const total = decimalOf(balance?.total);
    const hold = decimalOf(balance?.hold);
    if (!coin || total === null || hold === null) return null;
    const free = compare(total, hold) > 0 ? minus(total, hold) : '0';
    return { coin, token: integerOf(balance?.token), total, hold, free };
  });

/** The keys an account has let trade for it. Venue facts: extraAgents. */
export const readAgents = (json: unknown): Agent[] | null =>
  everyOf(json, (value) => {
    const agent = fieldsOf(value);
    const address = hexOf(agent?.address);
    if (!address) return null;
    return { address, name: textOf(agent?.name) ?? '', validUntilMs: integerOf(agent?.validUntil) };
  });

/** Venue facts: userRateLimit. */
export const readActionBudget = (json: unknown): ActionBudget | null => {
  const budget = fieldsOf(json);
  const used = integerOf(budget?.nRequestsUsed);
  const cap = integerOf(budget?.nRequestsCap);
  const volumeUsd = decimalOf(budget?.cumVlm);
  if (used === null || cap === null || volumeUsd === null) return null;
  return { used, cap, surplus: integerOf(budget?.nRequestsSurplus) ?? 0, volumeUsd };
};

const readPosition = (value: unknown): PerpPosition | null => {
  const position = fieldsOf(fieldsOf(value)?.position);
  const leverage = fieldsOf(position?.leverage);
  const coin = textOf(position?.coin);
  const size = decimalOf(position?.szi);
  const positionValue = decimalOf(position?.positionValue);
  const unrealizedPnl = decimalOf(position?.unrealizedPnl);
  const marginUsed = decimalOf(position?.marginUsed);
  const times = integerOf(leverage?.value);
  if (!coin || size === null || positionValue === null || unrealizedPnl === null) return null;
  if (marginUsed === null || times === null) return null;
  return {
    coin,
    size,
    entryPrice: decimalOf(position?.entryPx),
    positionValue,
    unrealizedPnl,
    liquidationPrice: decimalOf(position?.liquidationPx),
    leverage: times,
    isCross: leverage?.type === 'cross',
    marginUsed,
  };
};
