import type { Data } from './identity.ts';

/** The path of the next page by the `Link` header of a page; empty on the last page. */
export const nextOf = ({ headers }: Pick<Data, 'headers'>): string =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
