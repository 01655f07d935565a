import { compare, isPositive, minus } from '../../../kernel/decimals.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { absent, found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { complete, decimalOf, everyOf, fieldsOf, hexOf, integerOf, namedOnce, textOf, timeMsOf } from './fields.ts';
import type { AccountMode, ActionBudget, Agent, PerpAccount, PerpPosition, Role, SpotBalance } from './types.ts';

/** Reads an account on one dex. See venues/exchange.md#reads. */
export const readAccount =
  (dex: string) =>
  (json: unknown): PerpAccount | null => {
    const state = fieldsOf(json);
    const summary = fieldsOf(state?.marginSummary);
    return complete({
      dex,
      accountValue: decimalOf(summary?.accountValue),
      totalPositionValue: decimalOf(summary?.totalNtlPos),
      marginUsed: decimalOf(summary?.totalMarginUsed),
      withdrawable: decimalOf(state?.withdrawable),
      positions: namedOnce(everyOf(state?.assetPositions, readPosition(dex)), ({ coin }) => coin),
      atMs: timeMsOf(state?.time),
    });
  };

/**
 * Reads spot balances. Settled outcomes have no token number. Balances with USDC under no number are unreadable: to ignore that row would report a
 * zero. See venues/exchange.md#reads.
 */
export const readBalances = (json: unknown): SpotBalance[] | null =>
  namedOnce(everyOf(fieldsOf(json)?.balances, readBalance), ({ coin, token }) => token ?? coin); // tokens may share a name

const readBalance = (value: unknown): SpotBalance | null => {
  const balance = fieldsOf(value);
  const coin = textOf(balance?.coin);
  const total = decimalOf(balance?.total);
  const hold = decimalOf(balance?.hold);
  const token = integerOf(balance?.token);
  if (!coin || total === null || hold === null || (token === null && coin === 'USDC')) return null;
  const free = freeOf(total, decimalOf(balance?.spotHold) ?? hold);
  return { coin, token, total, hold, free };
};

/** With portfolio margin `hold` is net of borrowing power and may be negative; `spotHold` is what is held. */
const freeOf = (total: string, held: string): string => {
  if (!isPositive(held)) return isPositive(total) ? total : '0';
  return compare(total, held) > 0 ? minus(total, held) : '0';
};

/** Reads the leverage of an account in an asset. See venues/exchange.md#reads. */
export const readLeverage = (json: unknown): number | null => {
  const value = integerOf(fieldsOf(fieldsOf(json)?.leverage)?.value);
  return value !== null && value > 0 ? value : null;
};

/** The venue's words for how an account holds its collateral. `default`: never set; `dexAbstraction`: discontinued. */
const MODES = new Map<string | null, AccountMode>([
  ['unifiedAccount', 'unified'],
  ['portfolioMargin', 'unified'],
  ['disabled', 'separate'],
  ['default', 'separate'],
  ['dexAbstraction', 'separate'],
]);

/**
 * Reads how an account holds its collateral. Unified and portfolio-margin accounts report it in spot. A new word says
 * nothing about where it is. See venues/exchange.md#collateral.
 */
export const readMode = (json: unknown): AccountMode | null => MODES.get(textOf(json)) ?? null;

/** Words for addresses that are accounts of their own, or none yet. */
const ACCOUNTS = new Set<string | null>(['user', 'missing', 'subAccount', 'vault']);

/** Reads what an address is. A new word says nothing about whether it is an agent. See venues/exchange.md#agents. */
export const readRole = (json: unknown): Role | null => {
  const role = fieldsOf(json);
  const word = textOf(role?.role);
  if (word !== 'agent') return ACCOUNTS.has(word) ? { kind: 'account' } : null;
  const master = hexOf(fieldsOf(role?.data)?.user);
  return master ? { kind: 'agent', master } : null;
};

/** When a key ends, as its owner chose. A time that RFC 3339 cannot express counts as no end. */
const endOf = timeMsOf;

/** Reads the keys that may trade for an account. See venues/exchange.md#reads. */
export const readAgents = (json: unknown): Agent[] | null =>
  everyOf(json, (value) => {
    const agent = fieldsOf(value);
    const address = hexOf(agent?.address);
    if (!address) return null;
    return { address, name: textOf(agent?.name) ?? '', validUntilMs: endOf(agent?.validUntil) };
  });

/** Reads the key without a name; `absent` if the account has none. That of another account is unreadable. See venues/exchange.md#reads. */
export const readUnnamedAgent =
  (user: WalletAddress) =>
  (json: unknown): ReadResult<Agent> | null => {
    const data = fieldsOf(json);
    if ((hexOf(data?.user) ?? user.toLowerCase()) !== user.toLowerCase()) return null;
    if (data?.agentAddress === null) return absent;
    const address = hexOf(data?.agentAddress);
    return address === null ? null : found({ address, name: '', validUntilMs: endOf(data?.agentValidUntil) });
  };

/** Reads an account's action budget. See venues/exchange.md#reads. */
export const readActionBudget = (json: unknown): ActionBudget | null => {
  const budget = fieldsOf(json);
  const used = integerOf(budget?.nRequestsUsed);
  const cap = integerOf(budget?.nRequestsCap);
  const volumeUsd = decimalOf(budget?.cumVlm);
  if (used === null || cap === null || volumeUsd === null) return null;
  return { used, cap, surplus: integerOf(budget?.nRequestsSurplus) ?? 0, volumeUsd };
};

/** Only coin and size are required: orders, exits and the ledger need nothing else. */
const readPosition =
  (dex: string) =>
  (value: unknown): PerpPosition | null => {
    const position = fieldsOf(fieldsOf(value)?.position);
    const required = complete({ coin: textOf(position?.coin), size: decimalOf(position?.szi) });
    if (!required || dexOf(required.coin) !== dex) return null; // that of another dex
    return {
      ...required,
      positionValue: decimalOf(position?.positionValue),
      unrealizedPnl: decimalOf(position?.unrealizedPnl),
      entryPrice: decimalOf(position?.entryPx),
      liquidationPrice: decimalOf(position?.liquidationPx),
    };
  };
