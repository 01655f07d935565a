import type MiniSearch from 'minisearch';
import type { SearchResult } from 'minisearch';

export const options: { fields: string[]; storeFields: string[] };
export function ranked<Entry>(index: MiniSearch<Entry>, query: string): SearchResult[];
