import nock from 'nock';

/** Lets no call out of the process while a suite runs; the next suite finds the network as it was. */
export function alone(): void {
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => nock.enableNetConnect());
}
