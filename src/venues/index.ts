import { exchange } from './exchange/index.ts';
import { network } from './network/index.ts';

/** All venues. Another one is a folder beside these, and a line here. */
export const VENUES = [network, exchange] as const;
