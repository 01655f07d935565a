import { absent, found, type ReadResult } from '../../../kernel/upstream-result.ts';
import type { CallLimits } from './action-types.ts';
import { type Dex, readDexes, readPerps, readSpots } from './assets.ts';
import { type SharedRead, type Sources, sharedRead } from './shared-read.ts';
import type { Asset } from './types.ts';

/** Assets are added every few weeks, and their grids hardly ever change. */
const FRESH_MS = 5 * 60_000;
/** Requests for an unknown name must not read the whole list each time. */
const REFRESH_AFTER_MS = 5_000;

const MAIN: Dex = { name: '', index: 0 };
const SPOT = 'spot';

/**
 * Tradable assets by name. A list is read at most once at a time and shared by all processes. While a new one is read, the
 * last one is used: an asset keeps its number, and a list only grows.
 */
export type Catalogue = {
  find(coin: string, limits?: CallLimits): Promise<ReadResult<Asset>>;
  id(coin: string, limits?: CallLimits): Promise<ReadResult<number>>;
  list(dex: string, limits?: CallLimits): Promise<ReadResult<Asset[]>>;
  dexes(limits?: CallLimits): Promise<ReadResult<Dex[]>>;
  dex(name: string, limits?: CallLimits): Promise<ReadResult<Dex>>;
};

/** Creates a catalogue that reads from the venue. Asset ids differ by network, so none is hard-coded. */
export const catalogueFrom = (sources: Sources): Catalogue => {
  const dexes = sharedRead(sources, { body: { type: 'perpDexs' }, freshMs: FRESH_MS, read: readDexes });
  const spots = sharedRead(sources, { body: { type: 'spotMeta' }, freshMs: FRESH_MS, read: readSpots });
  const perps = new Map<string, SharedRead<Asset[]>>();
  const perpsOf = (dex: Dex): SharedRead<Asset[]> => {
    const body = { type: 'meta', ...(dex.name && { dex: dex.name }) };
    const ofDex = perps.get(dex.name) ?? sharedRead(sources, { body, freshMs: FRESH_MS, read: readPerps(dex) });
    perps.set(dex.name, ofDex);
    return ofDex;
  };
  const dexNamed = async (name: string, limits?: CallLimits): Promise<ReadResult<Dex>> =>
    name === MAIN.name ? found(MAIN) : findIn(dexes, (dex) => dex.name === name, limits);
  const listOf = async (name: string, limits?: CallLimits): Promise<ReadResult<SharedRead<Asset[]>>> => {
    if (name === SPOT) return found(spots);
    const dex = await dexNamed(name, limits);
    return dex.kind === 'found' ? found(perpsOf(dex.data)) : dex;
  };
  const find: Catalogue['find'] = async (coin, limits) => {
    const list = await listOf(dexOf(coin), limits);
    return list.kind === 'found' ? findIn(list.data, (asset) => asset.coin === coin, limits) : list;
  };
  return {
    dex: dexNamed,
    dexes,
    list: async (name, limits) => {
      const list = await listOf(name, limits);
      return list.kind === 'found' ? list.data(limits) : list;
    },
    find,
    id: async (coin, limits) => {
      const id = numberIn(coin);
      if (id !== null) return found(id);
      const asset = await find(coin, limits);
      return asset.kind === 'found' ? found(asset.data.id) : asset;
    },
  };
};

/** See venues/exchange.md#asset-ids. The names of spot pairs and outcomes contain their numbers. */
const BASES = { '@': 10_000, '#': 100_000_000 } as const;

const numberIn = (coin: string): number | null => {
  const [, sign, digits] = /^([@#])(\d{1,9})$/.exec(coin) ?? [];
  return sign === '@' || sign === '#' ? BASES[sign] + Number(digits) : null;
};

/** The dex follows from the name: `dex:COIN`, and `@7` or `BASE/QUOTE` for spot pairs. */
const dexOf = (coin: string): string => {
  if (coin.startsWith('@') || coin.includes('/')) return SPOT;
  return coin.includes(':') ? (coin.split(':')[0] ?? '') : MAIN.name;
};

/** A name that is not in the list may be a new one. */
const findIn = async <T>(
  list: SharedRead<T[]>,
  isIt: (member: T) => boolean,
  limits: CallLimits | undefined,
): Promise<ReadResult<T>> => {
  const known = inList(await list(limits), isIt);
  return known.kind === 'absent' ? inList(await list(limits, REFRESH_AFTER_MS), isIt) : known;
};

const inList = <T>(list: ReadResult<T[]>, isIt: (member: T) => boolean): ReadResult<T> => {
  if (list.kind !== 'found') return list;
  const member = list.data.find(isIt);
  return member === undefined ? absent : found(member);
};
