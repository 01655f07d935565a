import { byId } from '../dom.js';
import { openFrame } from '../frame.js';
import { currentCaller, keepCredentials } from './session.js';
import { views } from './views.js';

openFrame({
  views,
  name: 'Workbench',
  leave: () => location.reload(), // what is in memory is gone
  async enter() {
    await keepCredentials();
    byId('who').textContent = currentCaller().name;
  },
});
