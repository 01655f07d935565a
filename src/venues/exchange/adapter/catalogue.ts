import { absent, found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import type { CallLimits } from './action-types.ts';
import { type Dex, readDexes, readPerps, readSpots } from './assets.ts';
import type { Rows } from './fields.ts';
import { type SharedRead, type Sources, sharedRead } from './shared-read.ts';
import type { Asset } from './types.ts';

/** Assets are added every few weeks, and their grids hardly ever change. */
const FRESH_MS = 5 * 60_000;
/** Requests for an unknown name must not read the whole list each time. */
const REFRESH_AFTER_MS = 5_000;

const MAIN: Dex = { name: '', index: 0 };
const SPOT = 'spot';

/**
 * Tradable assets by name. An asset whose row cannot be read is unreadable; the others are not affected. A list is read at most once at a time and
 * shared by all processes. While a new one is read, the last one is used: an asset keeps its number, and a list only grows.
 */
export type Catalogue = {
  find(coin: string, limits?: CallLimits): Promise<ReadResult<Asset>>;
  id(coin: string, limits?: CallLimits): Promise<ReadResult<number>>;
  list(dex: string, limits?: CallLimits): Promise<ReadResult<Rows<Asset>>>;
  /** Unreadable if one dex is: a sum over the others would be wrong. */
  dexes(limits?: CallLimits): Promise<ReadResult<Dex[]>>;
  dex(name: string, limits?: CallLimits): Promise<ReadResult<Dex>>;
};

/** Creates a catalogue that reads from the venue. Asset ids differ by network, so none is hard-coded. */
export const catalogueFrom = (sources: Sources): Catalogue => {
  const dexes = sharedRead(sources, {
    body: { type: 'perpDexs' },
    freshMs: FRESH_MS,
    read: readDexes,
    numberOf: ({ name, index }) => [name, index],
  });
  const spots = sharedRead(sources, { body: { type: 'spotMeta' }, freshMs: FRESH_MS, read: readSpots, numberOf });
  const perps = new Map<string, SharedRead<Rows<Asset>>>();
  const perpsOf = (dex: Dex): SharedRead<Rows<Asset>> => {
    const body = { type: 'meta', ...(dex.name && { dex: dex.name }) };
    const key = `${dex.name} ${dex.index}`; // on a network that starts anew a dex may have another number
    const ofDex = perps.get(key) ?? sharedRead(sources, { body, freshMs: FRESH_MS, read: readPerps(dex), numberOf });
    perps.set(key, ofDex);
    return ofDex;
  };
  const dexNamed = async (name: string, limits?: CallLimits): Promise<ReadResult<Dex>> =>
    name === MAIN.name ? found(MAIN) : findIn(dexes, { name, nameOf: (dex) => dex.name }, limits);
  const listOf = async (name: string, limits?: CallLimits): Promise<ReadResult<SharedRead<Rows<Asset>>>> => {
    if (name === SPOT) return found(spots);
    const dex = await dexNamed(name, limits);
    return dex.kind === 'found' ? found(perpsOf(dex.data)) : dex;
  };
  const find: Catalogue['find'] = async (coin, limits) => {
    const list = await listOf(dexOf(coin), limits);
    return list.kind === 'found' ? findIn(list.data, { name: coin, nameOf: (asset) => asset.coin }, limits) : list;
  };
  return {
    dex: dexNamed,
    dexes: async (limits) => {
      const read = await dexes(limits);
      if (read.kind !== 'found') return read;
      return read.data.unread.length === 0 ? found(read.data.rows) : unreadable('a dex cannot be read');
    },
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

const numberOf = ({ coin, id }: Asset) => [coin, id] as const;

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

type Named<T> = { name: string; nameOf(row: T): string };

/** A name that is not in the list may be a new one. */
const findIn = async <T>(
  list: SharedRead<Rows<T>>,
  named: Named<T>,
  limits: CallLimits | undefined,
): Promise<ReadResult<T>> => {
  const known = inList(await list(limits), named);
  return known.kind === 'absent' ? inList(await list(limits, REFRESH_AFTER_MS), named) : known;
};

const inList = <T>(list: ReadResult<Rows<T>>, { name, nameOf }: Named<T>): ReadResult<T> => {
  if (list.kind !== 'found') return list;
  const { rows, unread } = list.data;
  const row = rows.find((one) => nameOf(one) === name);
  if (row !== undefined) return found(row);
  return unread.includes(name) || unread.includes(null) ? unreadable('its row cannot be read') : absent;
};
