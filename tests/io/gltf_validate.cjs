// Checks .glb files by Khronos' validator: node gltf_validate.cjs MODULES FILE…
// MODULES: the folder node_modules with the package gltf-validator.
const fs = require('fs');
const path = require('path');

const [modules, ...files] = process.argv.slice(2);
const validator = require(path.resolve(modules, 'gltf-validator'));

(async () => {
    for (const file of files) {
        const bytes = new Uint8Array(fs.readFileSync(file));
        const { issues, info } = await validator.validateBytes(bytes, { uri: file });
        const { numErrors, numWarnings, messages } = issues;
        if (numErrors + numWarnings > 0) {
            console.error(`${file}: ${JSON.stringify(messages.slice(0, 5), null, 1)}`);
            process.exit(1);
        }
        console.log(`${file}: valid, ${info.totalTriangleCount} triangles`);
    }
})();
