import { absent, found, type Lookup } from '../../kernel/answer.ts';
import { type Dex, readDexes, readPerps, readSpots } from './assets.ts';
import { type AskInfo, foundOr } from './info.ts';
import type { Asset, CallLimits } from './types.ts';

/** Assets are added every few weeks and their steps hardly ever change. */
const KNOWN_FOR_MS = 5 * 60_000;
/** A name nobody knows must not make us ask for the whole list with every call. */
const ASKED_ANEW_AFTER_MS = 5_000;

const OWN: Dex = { name: '', index: 0 };
const SPOT = 'spot';

/** What can be traded, by name. One list of each dex is under way at a time, and kept for minutes. */
export type Catalogue = {
  find(coin: string, limits?: CallLimits): Promise<Lookup<Asset>>;
  list(dex: string, limits?: CallLimits): Promise<Lookup<Asset[]>>;
  dexes(limits?: CallLimits): Promise<Lookup<Dex[]>>;
  dex(name: string, limits?: CallLimits): Promise<Lookup<Dex>>;
};

/** A catalogue that asks the venue. Its numbers differ by network: none is known beforehand. */
export const catalogueFrom = (ask: AskInfo): Catalogue => {
  const dexes = kept((_, limits) => ask({ body: { type: 'perpDexs' } }, limits, foundOr(readDexes)));
  const dexNamed = async (name: string, limits?: CallLimits): Promise<Lookup<Dex>> => {
    if (name === OWN.name) return found(OWN);
    return inList(await dexes(OWN.name, KNOWN_FOR_MS, limits), (dex) => dex.name === name);
  };
  const lists = kept(async (name, limits) => {
    if (name === SPOT) return ask({ body: { type: 'spotMeta' } }, limits, foundOr(readSpots));
    const dex = await dexNamed(name, limits);
    if (dex.kind !== 'found') return dex;
    return ask({ body: { type: 'meta', ...(name && { dex: name }) } }, limits, foundOr(readPerps(dex.said)));
  });
  return {
    dex: dexNamed,
    dexes: (limits) => dexes(OWN.name, KNOWN_FOR_MS, limits),
    list: (dex, limits) => lists(dex, KNOWN_FOR_MS, limits),
    find: async (coin, limits) => {
      const isIt = (asset: Asset) => asset.coin === coin;
      const known = inList(await lists(dexOf(coin), KNOWN_FOR_MS, limits), isIt);
      return known.kind === 'absent' ? inList(await lists(dexOf(coin), ASKED_ANEW_AFTER_MS, limits), isIt) : known;
    },
  };
};

/** Names tell where they are listed: `dex:COIN`, and `@7` or `BASE/QUOTE` for spot pairs. */
const dexOf = (coin: string): string => {
  if (coin.startsWith('@') || coin.includes('/')) return SPOT;
  return coin.includes(':') ? (coin.split(':')[0] ?? '') : OWN.name;
};

const inList = <T>(list: Lookup<T[]>, isIt: (member: T) => boolean): Lookup<T> => {
  if (list.kind !== 'found') return list;
  const member = list.said.find(isIt);
  return member === undefined ? absent : found(member);
};

type Reader<T> = (name: string, limits?: CallLimits) => Promise<Lookup<T>>;

/** Shares one answer per name among all who want none older than `maxAgeMs`. A failed read is not kept. */
const kept = <T>(read: Reader<T>) => {
  const held = new Map<string, { at: number; reading: Promise<Lookup<T>> }>();
  return (name: string, maxAgeMs: number, limits?: CallLimits): Promise<Lookup<T>> => {
    const last = held.get(name);
    if (last && Date.now() - last.at <= maxAgeMs) return last.reading;
    const entry = { at: Date.now(), reading: read(name, limits) };
    held.set(name, entry);
    const forget = () => held.get(name) === entry && held.delete(name);
    entry.reading.then(({ kind }) => kind === 'found' || forget(), forget);
    return entry.reading;
  };
};
