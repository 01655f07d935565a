import { absent, found, type ReadResult } from '../../kernel/upstream-result.ts';
import { type Dex, readDexes, readPerps, readSpots } from './assets.ts';
import { foundOr, type QueryInfo } from './info.ts';
import type { Asset, CallLimits } from './types.ts';

/** Assets are added every few weeks, and their grids hardly ever change. */
const FRESH_FOR_MS = 5 * 60_000;
/** Requests for an unknown name must not read the whole list each time. */
const REFRESH_AFTER_MS = 5_000;

const MAIN: Dex = { name: '', index: 0 };
const SPOT = 'spot';

/** Tradable assets by name. At most one read per dex is in progress; its list is cached for minutes. */
export type Catalogue = {
  find(coin: string, limits?: CallLimits): Promise<ReadResult<Asset>>;
  list(dex: string, limits?: CallLimits): Promise<ReadResult<Asset[]>>;
  dexes(limits?: CallLimits): Promise<ReadResult<Dex[]>>;
  dex(name: string, limits?: CallLimits): Promise<ReadResult<Dex>>;
};

/** Creates a catalogue that reads from the venue. Asset ids differ by network, so none is hard-coded. */
export const catalogueFrom = (query: QueryInfo): Catalogue => {
  const dexes = cached((_, limits) => query({ body: { type: 'perpDexs' } }, limits, foundOr(readDexes)));
  const dexNamed = async (name: string, limits?: CallLimits): Promise<ReadResult<Dex>> => {
    if (name === MAIN.name) return found(MAIN);
    return inList(await dexes(MAIN.name, FRESH_FOR_MS, limits), (dex) => dex.name === name);
  };
  const lists = cached(async (name, limits) => {
    if (name === SPOT) return query({ body: { type: 'spotMeta' } }, limits, foundOr(readSpots));
    const dex = await dexNamed(name, limits);
    if (dex.kind !== 'found') return dex;
    return query({ body: { type: 'meta', ...(name && { dex: name }) } }, limits, foundOr(readPerps(dex.data)));
  });
  return {
    dex: dexNamed,
    dexes: (limits) => dexes(MAIN.name, FRESH_FOR_MS, limits),
    list: (dex, limits) => lists(dex, FRESH_FOR_MS, limits),
    find: async (coin, limits) => {
      const isIt = (asset: Asset) => asset.coin === coin;
      const known = inList(await lists(dexOf(coin), FRESH_FOR_MS, limits), isIt);
      return known.kind === 'absent' ? inList(await lists(dexOf(coin), REFRESH_AFTER_MS, limits), isIt) : known;
    },
  };
};

/** The dex follows from the name: `dex:COIN`, and `@7` or `BASE/QUOTE` for spot pairs. */
const dexOf = (coin: string): string => {
  if (coin.startsWith('@') || coin.includes('/')) return SPOT;
  return coin.includes(':') ? (coin.split(':')[0] ?? '') : MAIN.name;
};

const inList = <T>(list: ReadResult<T[]>, isIt: (member: T) => boolean): ReadResult<T> => {
  if (list.kind !== 'found') return list;
  const member = list.data.find(isIt);
  return member === undefined ? absent : found(member);
};

type Reader<T> = (name: string, limits?: CallLimits) => Promise<ReadResult<T>>;

/** Caches one result per name; callers share a result that is at most `maxAgeMs` old. A failed read is not cached. */
const cached = <T>(read: Reader<T>) => {
  const entries = new Map<string, { at: number; reading: Promise<ReadResult<T>> }>();
  return (name: string, maxAgeMs: number, limits?: CallLimits): Promise<ReadResult<T>> => {
    const last = entries.get(name);
    if (last && Date.now() - last.at <= maxAgeMs) return last.reading;
    const entry = { at: Date.now(), reading: read(name, limits) };
    entries.set(name, entry);
    const forget = () => entries.get(name) === entry && entries.delete(name);
    entry.reading.then(({ kind }) => kind === 'found' || forget(), forget);
    return entry.reading;
  };
};
