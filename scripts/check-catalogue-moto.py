#!/usr/bin/env python3
"""Compares the embedded catalogue with what moto answers to DescribeInstanceTypes; prints one line of JSON.

Needs Python with moto and boto3; uses no network. Run from the project's root. Exit code 1 when a fact differs.
"""
import json
import re
import sys
from pathlib import Path

import boto3
from moto import mock_aws

GENERATED = Path("src/clouds/aws/catalogue/embedded/instance-types.generated.ts")


def embedded():
    """Type name -> facts, from the generated file: its rows are JSON but for the commas after them."""
    types, family = {}, None
    for line in GENERATED.read_text().splitlines():
        if line.startswith('{"family"'):
            family = json.loads(line + "]}")
        elif line.startswith('["'):
            size, vcpu, mib, enis, ips, _usd, _network, ebs, _branch, nvme, mhz, efa, *device = json.loads(line.rstrip(","))
            types[f"{family['family']}.{size}"] = {
                "arch": "arm64" if family["cpu"] == "aws" else "x86_64",
                "cpuManufacturer": family["cpu"],
                "vcpu": vcpu,
                "memoryMiB": mib,
                "interfaces": enis,
                "addresses": ips,
                "ebsMbps": ebs,
                "localStorageGB": nvme,
                "clockMHz": mhz,
                "efaInterfaces": efa,
                "nitroEnclaves": not size.startswith("metal") and vcpu >= family.get("enclavesFrom", vcpu + 1),
                "hypervisor": "" if size.startswith("metal") else family["hypervisor"],
                "encryptionInTransit": family["encryptionInTransit"],
                "device": [family.get("device", {}).get("name", ""), device[0] if device else 0],
            }
    return types


def described(info):
    """The same facts of one InstanceTypeInfo."""
    network, processor, ebs = info["NetworkInfo"], info["ProcessorInfo"], info["EbsInfo"]
    storage = info.get("InstanceStorageInfo", {})
    nvme = storage.get("NvmeSupport", "unsupported") != "unsupported"
    card = network["NetworkCards"][network.get("DefaultNetworkCardIndex", 0)]
    devices = info.get("GpuInfo", {}).get("Gpus") or info.get("NeuronInfo", {}).get("NeuronDevices") or [{}]
    optimized = ebs.get("EbsOptimizedInfo", {}) if ebs["EbsOptimizedSupport"] == "default" else {}
    return {
        "arch": "arm64" if "arm64" in processor["SupportedArchitectures"] else "x86_64",
        "cpuManufacturer": processor.get("Manufacturer", "").lower(),
        "vcpu": info["VCpuInfo"]["DefaultVCpus"],
        "memoryMiB": info["MemoryInfo"]["SizeInMiB"],
        "interfaces": card["MaximumNetworkInterfaces"],
        "addresses": network["Ipv4AddressesPerInterface"],
        "ebsMbps": optimized.get("MaximumBandwidthInMbps", 0),
        "localStorageGB": storage.get("TotalSizeInGB", 0) if nvme else 0,
        "clockMHz": round(1000 * processor.get("SustainedClockSpeedInGhz", 0)),
        "efaInterfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "nitroEnclaves": info.get("NitroEnclavesSupport") == "supported",
        "hypervisor": info.get("Hypervisor", ""),
        "encryptionInTransit": network["EncryptionInTransitSupported"],
        "device": [devices[0].get("Name", "").lower().replace(" ", "-"), devices[0].get("Count", 0)],
    }


@mock_aws
def describe():
    client = boto3.client("ec2", region_name="us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")
    pages = client.get_paginator("describe_instance_types").paginate()
    return {info["InstanceType"]: described(info) for page in pages for info in page["InstanceTypes"]}


def main():
    ours, theirs = embedded(), describe()
    differing = {
        f"{name} {fact}": [ours[name][fact], theirs[name][fact]]
        for name in sorted(ours.keys() & theirs.keys())
        for fact in ours[name]
        if ours[name][fact] != theirs[name][fact]
    }
    families = sorted({re.sub(r"\..*", "", name) for name in ours.keys() - theirs.keys()})
    print(json.dumps({
        "compared": len(ours.keys() & theirs.keys()),
        "differing": differing,
        "familiesOnlyHere": families,
        "typesOnlyThere": sorted(theirs.keys() - ours.keys()),
    }))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
