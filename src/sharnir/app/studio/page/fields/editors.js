// Editors of fields, one for each kind of value.

import { curve, functionOf, functionsOf, tableOf, threeFunctions } from "./curves.js";
import { fileName } from "./files.js";
import { frame, freedoms, inertiaOf, inertiaText, limits, turns } from "./geometry.js";
import { axis, choice, colour, flag, formula, input, json, list, numberInput, numbers, rotation, rows, six, textInput, vector } from "./inputs.js";
import { damping, friction, joined, material, named, part, parts, reduced, variable } from "./parts.js";
import { coordinate, freedom, mimic, name, names, terms } from "./references.js";

export { starting } from "./parts.js";
export { curve };

const listOfText = (context, value) => input(context, Array.isArray(value) ? value.join("; ") : value, (text) => (text.trim() ? text.split(";").map((part) => part.trim()).filter(Boolean) : undefined), { placeholder: "formulas, separated by ;", class: "formula" }, () => context.studio.formulaNames(context.field, true));

export const EDITORS = {
  number: numberInput, value: numberInput, integer: numberInput, text: textInput, formula, flag, vector, six, axis, rotation, color: colour, numbers, list, json, rows, matrix: rows,
  choice: (context, value) => choice(context, value, context.field.choices, !context.field.required),
  inertia: (context, value) => input(context, inertiaText(value), inertiaOf, { placeholder: "Jxx, Jyy, Jzz" }),
  file: fileName, name, names, coordinate, freedom, mimic, terms, "list of text": listOfText,
  function: functionOf, functions: functionsOf, motion: functionsOf, profile: functionOf, table: tableOf, "three functions": threeFunctions, "three formulas": threeFunctions, curve: threeFunctions,
  frame, freedoms, limits, turns,
  shape: parts, "contact shapes": parts, actions: parts, ties: parts, "contact shape": part, "contact law": part, tyre: part, fe: part, section: part, friction, variable, joined, reduced, material, "fe damping": damping,
  variables: named, texts: named, values: named, tables: named, units: named, "whole numbers": named,
};

export const editorOf = (kind) => EDITORS[kind] ?? json;
