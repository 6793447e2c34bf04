// Translucent bodies, so that joints and bodies inside others can be seen.

const PART = 0.3; // of the light that a translucent surface stops

// Surfaces of bodies, without the signs of joints and the marks of what is selected.
export function setThrough(objects, marks, on) {
  for (const object of objects) object.traverse((o) => {
    if (!o.isMesh || o.userData.joint || o.parent?.userData.joint || o.userData.filling || marks.includes(o)) return;
    for (const material of [o.material].flat()) Object.assign(material, { transparent: on, opacity: on ? PART : 1, depthWrite: !on, needsUpdate: true });
  });
}
