import { expect } from 'chai';
import { type AlikeOperation, alike, askAlike, unknownAddress, verifiedUsers } from '../support/alike.ts';
import { type Identity, startIdentity, type TestApp } from '../support/identity.ts';

const ADDRESSES = 3;

/** `npm run bench -- --only ALIKE` measures that the response times are alike too. */
describe('known and unknown addresses', () => {
  let service: Identity;
  let app: TestApp;
  let known: string[];
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '10000' }, false);
    app = await service.app();
    known = await verifiedUsers(service, app, ADDRESSES);
  });
  after(() => service.stop());

  for (const operation of Object.keys(alike) as AlikeOperation[]) {
    it(`get the same response from ${operation}: status and body`, async () => {
      const data = { known: new Set<string>(), unknown: new Set<string>() };

      for (const email of known) data.known.add((await askAlike(app, operation, email)).data);
      for (const _ of known) data.unknown.add((await askAlike(app, operation, unknownAddress())).data);

      expect([...data.known]).to.deep.equal([...data.unknown]);
      expect([...data.known]).to.have.length(1);
    });
  }
});
