import nock from 'nock';

/** Blocks calls out of the process while a suite runs, and restores the network afterwards. */
export function alone(): void {
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => nock.enableNetConnect());
}
