import { newHeadKey } from '../kernel/head-keys.ts';
import { newSealingKey } from '../kernel/seal.ts';

/*
 * npm run ops -- keys:create prints a new sealing key and a new key for agreements, as the settings take them. It stores neither.
 * To replace a key, put the new one first and keep the old ones behind it.
 */
console.log(`SEALING_KEYS=${newSealingKey()}\nAGREEMENT_KEYS=${newHeadKey()}`);
