import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';

/** The adapter, and the validator it reads, simulated by nock. */
export const venue = netvenue({
  minerUrl: 'http://miner.test',
  minerKey: 'miner-key',
  validatorUrl: 'http://validator.test',
  validatorKey: 'validator-key',
  entityHotkey: '5Entity',
});
export const validator = nock('http://validator.test', { reqheaders: { authorization: 'Bearer validator-key' } });

export const HOTKEY = '5Entity_3';
export const WALLET = '0xABcd00000000000000000000000000000000AbCd';
