import { AREAS } from '../../support/law/areas.ts';
import { areaSuite } from '../../support/law/suite.ts';

areaSuite('payouts', AREAS.payouts);
