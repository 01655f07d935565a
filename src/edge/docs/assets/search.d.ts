import type MiniSearch from 'minisearch';
import type { SearchResult } from 'minisearch';

export declare const options: { fields: string[]; storeFields: string[] };
export declare function ranked<Entry>(index: MiniSearch<Entry>, query: string): SearchResult[];
