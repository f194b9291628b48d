"""Compares raw answers, as they came over the wire, with botocore's model of the service: names, places and kinds of values."""

import base64
import json
import re
from xml.etree import ElementTree

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


class Findings:
    """How many values were looked at, and what was wrong with them."""

    def __init__(self):
        self.checked = 0
        self.problems = []

    def problem(self, place, text):
        finding = f"{place}: {text}"
        if finding not in self.problems:
            self.problems.append(finding)


def check_answer(operation, answer, findings):
    """`answer`: status, headers and body as bytes."""
    protocol = operation.service_model.resolved_protocol
    if protocol in ("ec2", "query"):
        check_xml(operation, protocol, answer["body"], findings)
    else:
        check_json(operation, answer["body"], findings)


def check_xml(operation, protocol, body, findings):
    root = ElementTree.fromstring(body)
    namespace, name = re.fullmatch(r"\{(.*)\}(.*)", root.tag).groups()
    if name != f"{operation.name}Response":
        findings.problem(operation.name, f"the root element is {name}")
    if namespace.rstrip("/") != operation.service_model.metadata["xmlNamespace"].rstrip("/"):
        findings.problem(operation.name, f"the namespace is {namespace}")
    elements = {local_name(child): child for child in root}
    shape = operation.output_shape
    if protocol == "query":
        if elements.pop("ResponseMetadata").find("{*}RequestId") is None:
            findings.problem(operation.name, "there is no RequestId")
        wrapper = shape.serialization["resultWrapper"] if shape else f"{operation.name}Result"
        result = elements.pop(wrapper, None)
        if shape is not None and result is not None:
            check_element(result, shape, protocol, operation.name, findings)
        for unknown in elements:
            findings.problem(operation.name, f"the model knows no element {unknown}")
        return
    if "requestId" not in elements:
        findings.problem(operation.name, "there is no requestId")
    for child in list(root):
        # What EC2 answers where there is nothing to tell; the model leaves it out.
        if local_name(child) in (("requestId",) if shape else ("requestId", "return")):
            root.remove(child)
    if shape is not None:
        check_element(root, shape, protocol, operation.name, findings)
    elif len(root) > 0:
        findings.problem(operation.name, "the model knows no answer at all")


def check_element(element, shape, protocol, place, findings):
    if shape.type_name == "structure":
        members = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        seen = set()
        for child in element:
            name = local_name(child)
            if name not in members:
                findings.problem(place, f"the model knows no element {name}; it knows {', '.join(members)}")
                continue
            if name in seen and not members[name].serialization.get("flattened"):
                findings.problem(place, f"element {name} is there twice")
            seen.add(name)
            check_element(child, members[name], protocol, f"{place}.{name}", findings)
    elif shape.type_name == "list":
        item = shape.member.serialization.get("name", "member")
        for child in element:
            if local_name(child) != item:
                findings.problem(place, f"items are called {local_name(child)}, not {item}")
            check_element(child, shape.member, protocol, f"{place}[]", findings)
    elif len(element) > 0:
        findings.problem(place, f"elements are in it, where the model has a {shape.type_name}")
    else:
        check_text(element.text or "", shape, place, findings)


def check_text(text, shape, place, findings):
    findings.checked += 1
    kind = shape.type_name
    if kind == "boolean" and text not in ("true", "false"):
        findings.problem(place, f"{text!r} is not true or false")
    elif kind in ("integer", "long") and not re.fullmatch(r"-?\d+", text):
        findings.problem(place, f"{text!r} is not a whole number")
    elif kind in ("float", "double") and not re.fullmatch(r"-?\d+(\.\d+)?", text):
        findings.problem(place, f"{text!r} is not a number")
    elif kind == "timestamp" and not INSTANT.fullmatch(text):
        findings.problem(place, f"{text!r} is not a time")
    elif kind == "blob":
        base64.b64decode(text, validate=True)
    elif kind == "string":
        check_enum(text, shape, place, findings)


# Values that EC2 gives though its own model does not list them: its documentation says `windows` in small letters.
BEYOND_THE_MODEL = {("DescribeImages.imagesSet[].platform", "windows")}


def check_enum(text, shape, place, findings):
    if (place, text) in BEYOND_THE_MODEL:
        return
    if shape.enum and text not in shape.enum:
        findings.problem(place, f"{text!r} is none of {', '.join(shape.enum[:10])}")


def check_json(operation, body, findings):
    value = json.loads(body) if body else {}
    if operation.output_shape is None:
        if value:
            findings.problem(operation.name, "the model knows no answer at all")
    else:
        check_value(value, operation.output_shape, operation.name, findings)


def check_value(value, shape, place, findings):
    kind = shape.type_name
    if kind == "structure":
        members = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        for name, member in value.items():
            if name not in members:
                findings.problem(place, f"the model knows no member {name}; it knows {', '.join(members)}")
            else:
                check_value(member, members[name], f"{place}.{name}", findings)
        for name in shape.required_members:
            if name not in value:
                findings.problem(place, f"member {name} is missing")
    elif kind == "list":
        for item in value:
            check_value(item, shape.member, f"{place}[]", findings)
    elif kind == "map":
        for key, item in value.items():
            check_value(key, shape.key, f"{place} (key)", findings)
            check_value(item, shape.value, f"{place}.{key}", findings)
    else:
        findings.checked += 1
        kinds = {"boolean": bool, "integer": int, "long": int, "float": (int, float), "double": (int, float)}
        # AWS' JSON tells times in seconds.
        if not isinstance(value, kinds.get(kind, (int, float) if kind == "timestamp" else str)):
            findings.problem(place, f"{value!r} is no {kind}")
        elif kind == "string":
            check_enum(value, shape, place, findings)


def local_name(element):
    return element.tag.rpartition("}")[2]
