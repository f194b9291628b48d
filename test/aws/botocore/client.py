"""boto3 clients of all services at one address, whose answers are compared with the model as they come."""

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from answers import Findings, check_answer

REGION = "eu-west-3"
SERVICES = ("ec2", "iam", "sqs", "ssm", "pricing", "eks", "events", "sts", "arc-zonal-shift")


class Aws:
    """Calls are made once, and with parameters that botocore would refuse, too: the server shall refuse them."""

    def __init__(self, url):
        config = Config(retries={"total_max_attempts": 1}, parameter_validation=False, read_timeout=20)
        session = boto3.Session(aws_access_key_id="nobody", aws_secret_access_key="nothing", region_name=REGION)
        self.clients = {}
        self.findings = {}
        self.errors = []
        self.ranges = []
        for service in SERVICES:
            client = session.client(service, endpoint_url=url, config=config)
            client.meta.events.register("before-parse", self._look)
            self.clients[service] = client

    def call(self, service, action, **parameters):
        """The answer as botocore understands it."""
        client = self.clients[service]
        names = client.meta.method_to_api_mapping
        method = next(method for method, name in names.items() if name == action)
        return getattr(client, method)(**parameters)

    def refused(self, service, action, code, status, **parameters):
        """Makes a call that must fail, and notes how it did."""
        found = self.failure(service, action, **parameters)
        expected = {"code": code, "status": status}
        ok = {name: found.get(name) for name in expected} == expected and found.get("isWhole", False)
        self.errors.append({"action": f"{service}:{action}", "expected": expected, "found": found, "ok": ok})

    def failure(self, service, action, **parameters):
        """Code and status of the error that the call ends with; empty when it succeeds."""
        try:
            self.call(service, action, **parameters)
            return {}
        except ClientError as error:
            answer = error.response
            # A message and the request's id, from which people find a failure again.
            is_whole = answer["Error"]["Message"] != "" and answer["ResponseMetadata"].get("RequestId", "") != ""
            return {
                "code": answer["Error"]["Code"],
                "status": answer["ResponseMetadata"]["HTTPStatusCode"],
                "isWhole": is_whole,
            }

    def range(self, service, action, member, **parameters):
        """Tries the least and the most that the model allows for a member, and one less and one more."""
        shape = self.clients[service].meta.service_model.operation_model(action).input_shape.members[member]
        least, most = shape.metadata["min"], shape.metadata["max"]
        for value, is_allowed in ((least - 1, False), (least, True), (most, True), (most + 1, False)):
            found = self.failure(service, action, **{member: value}, **parameters)
            row = {"action": f"{service}:{action}", "member": member, "value": value}
            self.ranges.append({**row, "isAllowed": is_allowed, "isTaken": found == {}})

    def report(self):
        actions = [
            {"action": action, "checked": findings.checked, "problems": findings.problems}
            for action, findings in sorted(self.findings.items())
        ]
        return {"actions": actions, "errors": self.errors, "ranges": self.ranges}

    def _look(self, operation_model, response_dict, **_):
        service = operation_model.service_model.service_name
        if response_dict["status_code"] >= 300:
            return
        action = f"{service}:{operation_model.name}"
        findings = self.findings.setdefault(action, Findings())
        # An answer without a value in it is one thing looked at, too.
        findings.checked += 1
        try:
            check_answer(operation_model, response_dict, findings)
        except Exception as error:
            findings.problem(operation_model.name, f"the answer cannot be read: {error!r}")
