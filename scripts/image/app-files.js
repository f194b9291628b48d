// Puts what the image holds into a folder: the bundle, its licences and its bill of materials. Usage: app-files.js OUT
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: node scripts/image/app-files.js OUT');

const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'));

// Source maps stay behind: they are larger than the program, and traces name its functions without them.
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/chunks`, { recursive: true });
cpSync('dist/berth.js', `${out}/berth.js`);
for (const name of readdirSync('dist/chunks').filter((each) => each.endsWith('.js')))
  cpSync(`dist/chunks/${name}`, `${out}/chunks/${name}`);
cpSync('LICENSE', `${out}/LICENSE`);

const packages = bundledPackages();
writeFileSync(`${out}/licenses.txt`, packages.map(licenceText).join(`\n${'-'.repeat(80)}\n\n`));
writeFileSync(`${out}/sbom.spdx.json`, `${JSON.stringify(billOfMaterials(), undefined, 2)}\n`);

/** Packages of which the bundle holds a file, by name and version. */
function bundledPackages() {
  const { program } = JSON.parse(readFileSync('dist/inputs.json', 'utf8'));
  const folders = new Set(
    program.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  return [...folders]
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) }))
    .sort((left, right) => (`${left.name}@${left.version}` < `${right.name}@${right.version}` ? -1 : 1));
}

function licenceText(one) {
  const file = readdirSync(one.folder).find((name) => /^licen[cs]e/i.test(basename(name)));
  const text = file === undefined ? '' : `\n${readFileSync(`${one.folder}/${file}`, 'utf8').trimEnd()}\n`;
  return `${one.name} ${one.version}: ${licenceOf(one)}\n${text}`;
}

function licenceOf({ name, license: own }) {
  if (typeof own !== 'string' || own === '') throw new Error(`${name}: package.json names no licence`);
  return own;
}

/** SPDX 2.3. Nothing in it depends on when or where it is written. */
function billOfMaterials() {
  const described = [
    { name: 'berth', version, license },
    ...packages.map((one) => ({ ...one, license: licenceOf(one) })),
  ];
  const idOf = (one) =>
    `SPDXRef-${`${one.name}-${one.version}`.replaceAll(/[^\w.-]/g, '-').replaceAll('_', '-')}`;
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `berth-${version}`,
    documentNamespace: `https://berth.sh/spdx/berth-${version}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: ['Tool: scripts/image/app-files.js'] },
    packages: described.map((one) => ({
      SPDXID: idOf(one),
      name: one.name,
      versionInfo: one.version,
      licenseDeclared: one.license,
      licenseConcluded: 'NOASSERTION',
      copyrightText: 'NOASSERTION',
      downloadLocation: 'NOASSERTION',
      filesAnalyzed: false,
      externalRefs: [
        {
          referenceCategory: 'PACKAGE-MANAGER',
          referenceType: 'purl',
          referenceLocator: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
        },
      ],
    })),
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: idOf(described[0]),
      },
      ...described.slice(1).map((one) => ({
        spdxElementId: idOf(described[0]),
        relationshipType: 'CONTAINS',
        relatedSpdxElement: idOf(one),
      })),
    ],
  };
}
