import { expect } from 'chai';
import { isGuessable } from '../../src/kernel/passwords.ts';

const EMAIL = 'someone@example.com';

describe('isGuessable', () => {
  for (const password of [
    ...['password', 'Password1', 'PASSWORD123', '12345678', '123456789', '1234567890', 'qwertyuiop', 'qwerty123'],
    ...['iloveyou', 'sunshine', 'princess', 'football', 'baseball', 'superman', 'trustno1', 'letmein1', 'changeme'],
    ...['1q2w3e4r', '1qaz2wsx', 'zaq12wsx', 'qazwsxedc', 'asdfghjkl', '11111111', '88888888', '87654321', 'abcd1234'],
    ...['passw0rd', 'p@ssw0rd', 'welcome1', 'computer', 'internet', 'whatever', 'michael1', 'jennifer', 'starwars'],
    ...['abcdefgh', '01234567', '0987654321', 'poiuytrewq', '12341234', '123123123', 'abababab', 'AdminAdmin'],
    ...['ｐａｓｓｗｏｒｄ'], // the same letters, full width
  ]) {
    it(`is true for ${password}, which is common`, () => {
      expect(isGuessable(password, EMAIL)).to.equal(true);
    });
  }

  it('is true for the address, its first part, and one character repeated', () => {
    const guessable = ['someone@example.com', 'Someone', 'ЖЖЖЖЖЖЖЖЖ', '!!!!!!!!!!!!!'];

    expect(guessable.map((password) => isGuessable(password, EMAIL))).to.deep.equal(guessable.map(() => true));
  });

  it('is false for uncommon passwords', () => {
    const rare = ['correct horse battery', 'mVx7-qqLp-0Zt2', 'Ein Satz mit vier Wörtern'];

    expect(rare.map((password) => isGuessable(password, EMAIL))).to.deep.equal([false, false, false]);
  });
});
