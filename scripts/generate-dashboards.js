// Writes charts/berth/files/dashboards (`make generate`).
import { mkdirSync, writeFileSync } from 'node:fs';
import { DASHBOARDS, grafanaDashboard } from './dashboards.js';

const FOLDER = 'charts/berth/files/dashboards';
mkdirSync(FOLDER, { recursive: true });
for (const [name, dashboard] of Object.entries(DASHBOARDS))
  writeFileSync(
    `${FOLDER}/${name}.json`,
    `${JSON.stringify(grafanaDashboard(name, dashboard), undefined, 2)}\n`,
  );
