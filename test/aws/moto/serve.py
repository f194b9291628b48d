"""Serves moto on a free port of the loopback interface, until standard input ends, with parameters that moto does not know.

usage: serve.py PARAMETERS.json    (prints the port; the images are those of the file that MOTO_AMIS_PATH names)
"""

import json
import os
import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.ssm.models import Parameter, ParameterDict
from werkzeug.serving import make_server

with open(sys.argv[1], encoding="utf-8") as file:
    PUBLISHED = json.load(file)


own_check = ParameterDict._check_loading_status


def check_and_publish(self, key):
    """Called before every look-up. Nobody may put parameters under /aws, so they have to be there already."""
    own_check(self, key)
    if not str(key or "").startswith("/aws/service/") or getattr(self, "is_published", False):
        return
    self.is_published = True
    for name, value in PUBLISHED.items():
        parameter = Parameter(
            account_id=self.account_id,
            name=name,
            value=value,
            parameter_type="String",
            description=None,
            allowed_pattern=None,
            keyid=None,
            last_modified_date=1767225600,
            version=1,
            data_type="aws:ec2:image",
        )
        dict.__setitem__(self, name, [parameter])


ParameterDict._check_loading_status = check_and_publish


def end_with_the_parent():
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_the_parent, daemon=True).start()
    server = make_server(
        "127.0.0.1",
        0,
        DomainDispatcherApplication(create_backend_app),
        threaded=True,
        request_handler=MotoRequestHandler,
    )
    print(server.port, flush=True)
    server.serve_forever()
